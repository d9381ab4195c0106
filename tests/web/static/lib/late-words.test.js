import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { missingClass } from "../../../../device/web/features/table/lib/late-words.js";

test("the class of a die that is missing is known where it is one alone", () => {
  const dice = [
    { id: 1, colour: "base" },
    { id: 2, colour: "skill" },
  ];
  const snapshot = { colours: { base: "yellow", skill: "green" }, pool: { base: 2, skill: 1 }, dice };
  assert.equal(missingClass(snapshot), "base");
  assert.equal(missingClass({ ...snapshot, dice: [] }), null);
  assert.equal(missingClass({ ...snapshot, pool: null }), null);
});
