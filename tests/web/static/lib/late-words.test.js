import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeWords, kindsOfCounters, missingClass } from "../../../../device/web/static/lib/late-words.js";

test("the class of a die that is missing is known where it is one alone", () => {
  const dice = [{ id: 1, colour: "base" }, { id: 2, colour: "skill" }];
  const snapshot = { colours: { base: "yellow", skill: "green" }, pool: { base: 2, skill: 1 }, dice };
  assert.equal(missingClass(snapshot), "base");
  assert.equal(missingClass({ ...snapshot, dice: [] }), null);
  assert.equal(missingClass({ ...snapshot, pool: null }), null);
});

test("a change of a sheet is said in a few words", () => {
  assert.equal(changeWords({ kind: "hp", name: null, by: -2 }), "Health −2");
  assert.equal(changeWords({ kind: "gear", name: "Rope", by: 1 }), "Rope +1");
  assert.match(changeWords({ kind: "stress", name: null, to: 0 }), /^Stress becomes 0$/);
  assert.equal(changeWords({ kind: "hp", name: null, text: "as it was" }), "as it was");
});

test("every kind of counter has a name", () => {
  for (const [kind, text] of kindsOfCounters()) assert.ok(text, kind);
});
