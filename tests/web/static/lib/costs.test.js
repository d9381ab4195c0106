import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { consequences } from "../../../../device/web/static/lib/costs.js";

test("a result says how it met what was asked, and how those it is compared with came out", () => {
  const measured = { met: false, by: -1, text: "Missed it by 1." };
  const told = { state: "scored", outcome: {}, asked: { aim_text: "Threshold 2" }, measured, together: [{ text: "Ann beats Zo, 2 to 1." }, { text: null }] };
  assert.deepEqual(consequences(told), [["bad", "Threshold 2: Missed it by 1."], ["plain", "Ann beats Zo, 2 to 1."]]);
  assert.deepEqual(consequences({ state: "empty", outcome: null, together: told.together }), [["plain", "Ann beats Zo, 2 to 1."]]);
});

test("what a push costs is said before it, and what it cost with where that leaves the attribute", () => {
  const outcome = { base_ones: 2, stunts: 1, push_costs: { trauma: 2, gear_damage: 0 } };
  assert.deepEqual(consequences({ state: "scored", outcome, push: { eligible: true } }), [["good", "1 stunt to spend"], ["plain", "A push costs at least 2 trauma"]]);
  const paid = { trauma: 1, trauma_type: "fatigue", attribute_after: 2, gear_damage: 0 };
  assert.deepEqual(consequences({ state: "resolved", outcome: paid, context: { attribute_name: "WIT" } }).map(([kind]) => kind), ["bad"]);
  assert.deepEqual(consequences({ state: "resolved", outcome: { trauma: 0, gear_damage: 0 } }), [["plain", "The push cost nothing"]]);
  assert.deepEqual(consequences({ state: "awaiting_push", outcome, problems: ["wrong_dice_count"] }), [], "what lies there is not that result");
});

test("harm that only the attribute divides is never said to be none", () => {
  const due = { damage: null, stress: null, reliability_loss: 0, damage_or_stress: 1, stress_or_reliability: 0 };
  const texts = (state, outcome) => consequences({ state, outcome, push: { eligible: state === "scored" } }).map(([, text]) => text);
  assert.deepEqual(texts("scored", { base_ones: 1, push_costs: due }), ["A push costs at least 1 damage or stress: the attribute decides"]);
  assert.deepEqual(texts("resolved", { base_ones: 1, ...due }), ["1 damage or stress: the attribute decides"]);
  assert.deepEqual(texts("resolved", { base_ones: 1, damage: null, stress: null, reliability_loss: 0 }), ["1 damage or stress: the attribute decides"], "kept by an older version");
  assert.deepEqual(texts("resolved", { ...due, damage_or_stress: 0, stress_or_reliability: 1, reliability_loss: 2, reliability_after: null }), ["2 reliability lost", "1 stress or reliability lost: the attribute decides"]);
  assert.deepEqual(texts("scored", { base_ones: 1, push_costs: { damage: 0, stress: 0 } }), [], "a table where old ones are not paid");
});
