import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Club, counted, diceLine, kindWords, whose } from "../../../../device/web/features/club/lib/club.js";

const roll = (id) => ({
  id,
  kind: "scored",
  time: null,
  owner: null,
  label: null,
  value: 2,
  word: "successes",
  dice: [],
});
const tray = (id, name, available, ...rolls) => ({ id, name, available, rolls: rolls.map(roll) });

test("trays that are there come first, then by name, numbers as such", () => {
  const club = new Club();
  club.all([tray("a", "Table 10", true), tray("b", "Table 9", true), tray("c", "Attic", false)]);
  assert.deepEqual(
    club.trays.map(({ id }) => id),
    ["b", "a", "c"],
  );
  club.some([tray("c", "Attic", true)]);
  assert.deepEqual(
    club.trays.map(({ id }) => id),
    ["c", "b", "a"],
  );
  club.all([tray("d", "Other", true)]);
  assert.equal(club.tray("a"), undefined);
});

test("results that come are put before those that are known, and twenty are kept", () => {
  const club = new Club();
  club.all([tray("a", "A", true, "r2", "r1")]);
  club.some([tray("a", "A", true, "r4", "r3")]);
  assert.deepEqual(
    club.tray("a").rolls.map(({ id }) => id),
    ["r4", "r3", "r2", "r1"],
  );
  club.some([tray("a", "A", true, ...Array.from({ length: 19 }, (_, number) => `n${number}`))]);
  assert.deepEqual(
    club
      .tray("a")
      .rolls.slice(18)
      .map(({ id }) => id),
    ["n18", "r4"],
  );
  club.some([tray("new", "New", true, "x")]);
  assert.equal(club.tray("new").rolls.length, 1);
});

test("a result is said with its owner, its word and its dice", () => {
  assert.equal(whose({ owner: "Mira", label: "Fight" }), "Mira · Fight");
  assert.equal(whose({ owner: null }), "");
  assert.equal(counted(roll("r")), "2 successes");
  assert.equal(counted({ ...roll("r"), word: null }), "2");
  assert.equal(counted({ ...roll("r"), value: null }), "");
  const dice = [
    { role: "base", value: 3 },
    { role: "gear", value: 1 },
    { role: "base", value: 6 },
    { role: null, value: 4 },
    { role: "base", value: null },
  ];
  assert.equal(diceLine(dice), "base 6 3, gear 1, 4");
  assert.deepEqual(["pushed", "revised", "corrected", "scored", null].map(kindWords), [
    "pushed",
    "corrected",
    "corrected",
    "",
    "",
  ]);
});
