import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { oddsLines, percent, toNumber } from "../../../../device/web/static/components/odds.js";

test("fractions of any length become numbers", () => {
  assert.deepEqual(["1/3", "2", `${10n ** 400n}/${4n * 10n ** 400n}`].map(toNumber), [0.333333, 2, 0.25]);
});

test("chances are rounded as they can be told, and never to certainty", () => {
  const shown = { "0": "0 %", "1": "100 %", "1/3": "33 %", "1/16": "6.3 %", "1/20": "5 %", "1/5000": "< 0.1 %", "4999/5000": "> 99.9 %", "9999/10000": "> 99.9 %" };
  for (const [fraction, text] of Object.entries(shown)) assert.equal(percent(fraction), text);
});

test("what is not known yet and what cannot happen has no line", () => {
  const lines = oddsLines({ p_success: "1/2", p_draw: null, p_hits_at_least: { 0: "1", 1: "1/2", 7: "0" }, p_trauma_at_least: { 1: "0" }, p_gear_damage_at_least: { 1: "1/6" }, mean: "7/2" }).map(markup);
  assert.equal(lines.length, 4);
  assert.ok(lines[0].includes("50 %") && lines[0].includes("--share: 0.5"));
  assert.ok(lines[2].includes("odds-line bad"));
  assert.ok(lines[3].includes("3.50") && !lines[3].includes("--share"));
});
