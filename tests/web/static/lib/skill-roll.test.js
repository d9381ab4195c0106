import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { rollName, tappedFor, tappedOn } from "../../../../device/web/ui/lib/skill-roll.js";

const counter = (name, kind, now = 2) => ({ name, kind, now, most: null, least: 0 });
const tile = (name, kinds, more = {}) => ({
  name,
  title: name,
  kind: "counter",
  counter_kinds: kinds,
  choices: [],
  optional: true,
  default: null,
  ...more,
});
const TILES = {
  system: "push-pool",
  tiles: [
    tile("attribute", ["attribute"]),
    tile("skill", ["skill"]),
    tile("gear", ["gear"]),
    { name: "helpers", kind: "number", counter_kinds: [] },
  ],
  goes_with: { Fight: "STR" },
};
const sheet = (...counters) => ({ id: 1, title: "Bo", system: "push-pool", counters });
const STR = counter("STR", "attribute");
const FIGHT = counter("Fight", "skill");

test("a skill brings its attribute, and the one piece of gear that there is", () => {
  assert.deepEqual(tappedFor(TILES, sheet(STR, FIGHT), FIGHT), { skill: "Fight", attribute: "STR" });
  assert.deepEqual(tappedFor(TILES, sheet(STR, FIGHT, counter("axe", "gear")), FIGHT), {
    skill: "Fight",
    attribute: "STR",
    gear: "axe",
  });
  assert.deepEqual(
    tappedFor(TILES, sheet(STR, FIGHT, counter("axe", "gear"), counter("rope", "gear")), FIGHT),
    { skill: "Fight", attribute: "STR" },
    "which of them is the table's to say",
  );
  assert.deepEqual(
    tappedFor(TILES, sheet(STR, FIGHT, counter("axe", "gear", 0)), FIGHT),
    { skill: "Fight", attribute: "STR" },
    "what is broken is not taken along",
  );
});

test("an attribute is rolled alone; other counters, and sheets of other rules, are not rolled", () => {
  assert.deepEqual(tappedFor(TILES, sheet(STR, FIGHT), STR), { attribute: "STR" });
  for (const kind of ["gear", "resource", "xp"]) assert.equal(tappedFor(TILES, sheet(STR), counter("x", kind)), null);
  assert.equal(tappedFor({ ...TILES, system: "hits-pool" }, sheet(STR), STR), null);
  assert.equal(tappedFor(null, sheet(STR), STR), null);
});

test("the same roll by another sheet leaves out what that sheet lacks", () => {
  const tiles = {
    ...TILES,
    tiles: TILES.tiles.map((one) => (one.name === "attribute" ? { ...one, optional: false } : one)),
  };
  const tapped = { skill: "Fight", attribute: "STR", gear: "axe", helpers: 1 };
  assert.deepEqual(tappedOn(tiles, sheet(STR, FIGHT), tapped), { skill: "Fight", attribute: "STR", helpers: 1 });
  assert.deepEqual(tappedOn(tiles, sheet(STR), tapped), { attribute: "STR", helpers: 1 });
  assert.equal(tappedOn(tiles, sheet(FIGHT), tapped), null, "the rules need the attribute");
  assert.deepEqual(tappedOn(tiles, sheet(), { attribute: 3 }), { attribute: 3 }, "a number is nobody's");
});

test("a roll is called by what was tapped, in the order of the tiles", () => {
  assert.equal(
    rollName(TILES, { gear: "axe", skill: "Fight", attribute: "STR", helpers: 1 }),
    "Strength + Fight + Axe",
  );
  assert.equal(rollName(TILES, { attribute: 3 }), "", "a number has no name");
  assert.equal(rollName(null, { attribute: "STR" }), "");
});
