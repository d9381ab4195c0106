import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { oddsLines, percent, toNumber } from "../../../../device/web/ui/components/odds.js";

test("fractions of any length become numbers", () => {
  assert.deepEqual(["1/3", "2", `${10n ** 400n}/${4n * 10n ** 400n}`].map(toNumber), [0.333333, 2, 0.25]);
});

test("chances are rounded as they can be told, and never to certainty", () => {
  const shown = {
    0: "0%",
    1: "100%",
    "1/3": "33%",
    "1/16": "6.3%",
    "1/20": "5%",
    "1/5000": "< 0.1%",
    "4999/5000": "> 99.9%",
    "9999/10000": "> 99.9%",
  };
  for (const [fraction, text] of Object.entries(shown)) assert.equal(percent(fraction), text);
});

test("rows are drawn as the tray labels them, a mean without a bar", () => {
  const lines = oddsLines([
    { text: "Success", kind: "good", fraction: "1/2" },
    { text: "Trauma", kind: "bad", fraction: "1/6" },
    { text: "Total", kind: "mean", fraction: "7/2" },
  ]).map(markup);
  assert.ok(lines[0].includes("50%") && lines[0].includes("--share: 0.5") && lines[0].includes("Success"));
  assert.ok(lines[1].includes("odds-line bad"));
  assert.ok(lines[2].includes("3.50") && !lines[2].includes("--share"));
});
