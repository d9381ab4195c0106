import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { classOf, kindOfDice, taken, takenWords } from "../../../../device/web/ui/lib/hand.js";

const COLOURS = { base: "yellow", skill: "green", gear: "black" };
const ROLES = { base: "base", skill: "skill", gear: "gear" };

test("dice are named by their colour, as they lie on the table", () => {
  assert.equal(takenWords({ role: "base", colour: "base", count: 3 }, COLOURS), "3 yellow");
  assert.equal(takenWords({ role: "base", colour: "base", count: 3 }, { base: "red" }), "3 red");
});

test("where any colour will do, or none is known, they are named by their role", () => {
  assert.equal(takenWords({ role: "plain", colour: null, count: 1 }, COLOURS), "1 die");
  assert.equal(takenWords({ role: "plain", colour: null, count: 4 }, COLOURS), "4 dice");
  assert.equal(takenWords({ role: "gear", colour: "gear", count: 2 }, {}), "2 gear dice");
  assert.equal(takenWords({ role: "luck", colour: null, count: 2 }), "2 luck");
});

test("a role has the one colour that plays it; negative dice are those of skill", () => {
  assert.equal(classOf("gear", ROLES), "gear");
  assert.equal(classOf("negative", ROLES), "skill");
  assert.equal(classOf("skill", { ...ROLES, skill: "negative" }), "skill");
  assert.equal(classOf("plain", { base: "plain", skill: "plain", gear: "wild" }), null);
  assert.equal(classOf("wild", { base: "plain", skill: "plain", gear: "wild" }), "gear");
  assert.equal(classOf("ammo", ROLES), null);
});

test("before they are counted they are called by colour and role, or by the role alone", () => {
  assert.equal(kindOfDice("base", "base", COLOURS), "Yellow (base)");
  assert.equal(kindOfDice("plain", null, COLOURS), "Dice");
});

test("of counts those above zero are taken", () => {
  assert.deepEqual(taken({ base: 2, skill: 0, plain: 1 }, ROLES), [
    { role: "base", colour: "base", count: 2 },
    { role: "plain", colour: null, count: 1 },
  ]);
});

test("dice that no camera reads are counted by their faces", () => {
  const known = [
    { level: "C", sides: 8 },
    { level: "B", sides: 10 },
  ];
  const hand = taken({ base: 1 }, ROLES, { B: 2, C: 0 }, known);
  assert.deepEqual(hand[1], { role: "base", colour: null, count: 2, sides: 10 });
  assert.equal(takenWords(hand[1], COLOURS), "2 d10");
});
