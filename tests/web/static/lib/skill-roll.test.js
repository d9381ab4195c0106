import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { rollName, scaleOf, tappedFor, tappedOn, tappedToo } from "../../../../device/web/ui/lib/skill-roll.js";

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

test("where a tile takes attributes and skills alike, a skill adds to its attribute in a tile of its own", () => {
  const tiles = {
    system: "push-pool",
    tiles: [tile("ability", ["attribute", "skill"]), tile("skill", ["skill"])],
    goes_with: { Fight: "STR" },
  };
  assert.deepEqual(tappedFor(tiles, sheet(STR, FIGHT), FIGHT), { ability: "STR", skill: "Fight" });
  assert.deepEqual(tappedFor(tiles, sheet(FIGHT), FIGHT), { ability: "Fight" }, "without its attribute it is alone");
  assert.deepEqual(tappedFor({ ...tiles, tiles: [tiles.tiles[0]] }, sheet(STR, FIGHT), FIGHT), { ability: "Fight" });
});

test("an attribute alone, a skill alone and both are asked for by taps that come and go", () => {
  const agl = counter("AGL", "attribute");
  const own = sheet(STR, agl, FIGHT);
  const after = (...taps) => taps.reduce((tapped, one) => tappedToo(TILES, own, tapped, one), {});
  assert.deepEqual(after(STR), { attribute: "STR" });
  assert.deepEqual(after(FIGHT), { skill: "Fight", attribute: "STR" });
  assert.deepEqual(after(FIGHT, STR), { skill: "Fight" }, "the skill alone");
  assert.deepEqual(after(FIGHT, agl), { skill: "Fight", attribute: "AGL" }, "another attribute in place of its own");
  assert.deepEqual(after(FIGHT, FIGHT), { attribute: "STR" });
  assert.deepEqual(after(STR, agl), { attribute: "AGL" });
  assert.deepEqual(after(STR, STR), {});
});

test("attributes and skills are written as the rules' scale says, other counters as numbers", () => {
  const sheets = { rules: { "step-dice": { scale: ["–", "d6", "d8"] }, "push-pool": { scale: [] } } };
  assert.equal(scaleOf(sheets, "step-dice", "skill")[2], "d8");
  for (const [system, kind] of [
    ["step-dice", "hp"],
    ["push-pool", "skill"],
    ["chess", "skill"],
    [undefined, "skill"],
  ])
    assert.deepEqual(scaleOf(sheets, system, kind), []);
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
  assert.deepEqual(tappedOn(tiles, sheet(), { attribute: 3 }), { attribute: 3 }, "a number has no tile");
});

test("a roll is called by what was tapped, in the order of the tiles", () => {
  assert.equal(
    rollName(TILES, { gear: "axe", skill: "Fight", attribute: "STR", helpers: 1 }),
    "Strength + Fight + Axe",
  );
  assert.equal(rollName(TILES, { attribute: 3 }), "", "a number has no name");
  assert.equal(rollName(null, { attribute: "STR" }), "");
});
