import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asRead,
  cropOf,
  doubtfulDice,
  missingClass,
  readWords,
  sureWords,
} from "../../../../device/web/features/table/lib/doubts.js";

const COLOURS = { base: "yellow", skill: "green" };
const die = (id, more = {}) => ({ id, colour: "base", value: 4, confidence: 0.99, ...more });
const unread = (id, more = {}) => die(id, { value: null, unread: "cocked", ask: "unread", confidence: 0.5, ...more });
const snapshot = (dice, more = {}) => ({ state: "unclear", dice, colours: COLOURS, pool: null, ...more });

test("the dice without a reading to rely on are in doubt, the least sure first", () => {
  const dice = [
    die(1),
    unread(2),
    unread(3, { confidence: 0.2 }),
    unread(4, { ask: "picked" }),
    die(5, { colour: null, unread: "colour_unclear", ask: "unread", confidence: 0.9 }),
  ];
  assert.deepEqual(
    doubtfulDice(snapshot(dice)).map(({ id }) => id),
    [3, 2, 5],
  );
  assert.deepEqual(
    doubtfulDice(snapshot([die(1), die(2)], { confirmable: true })),
    [],
    "one word settles the whole picture",
  );
  assert.deepEqual(doubtfulDice(snapshot(dice, { state: "rolling" })), []);
});

test("nothing of a hidden roll is shown", () => {
  for (const hides of [{ hidden: true }, { covered: true }])
    assert.deepEqual(doubtfulDice(snapshot([unread(1)], hides)), []);
});

test("a die is taken as it was read, where something was read of value and colour", () => {
  assert.deepEqual(asRead(unread(1, { read_value: 3, read_colour: "base" }), snapshot([])), {
    id: 1,
    value: 3,
    colour: "base",
  });
  assert.equal(asRead(unread(1, { read_value: null }), snapshot([])), null);
  const grey = die(2, { colour: null, read_colour: null, unread: "colour_unclear" });
  assert.equal(asRead(grey, snapshot([grey])), null, "no colour was read, and the pool misses none");
  assert.deepEqual(asRead(grey, snapshot([die(1), grey], { pool: { base: 1, skill: 1 } })), {
    id: 2,
    value: 4,
    colour: "skill",
  });
  assert.equal(asRead(grey, snapshot([grey], { pool: { base: 1, skill: 1 } })), null, "it may be of two classes");
});

test("how sure a reading is stands in words, and so does what was read", () => {
  assert.deepEqual(
    [0.99, 0.8, 0.5, 0.1, undefined].map((confidence) => sureWords({ confidence })),
    ["almost sure", "probably", "maybe", "best guess", "best guess"],
  );
  assert.equal(readWords(unread(1), { id: 1, value: 3, colour: "skill" }), "3 skill");
  assert.equal(readWords(unread(1), null), "? base");
  assert.equal(readWords(unread(1, { sides: 8 }), { id: 1, value: 7, colour: "base" }), "7 base d8");
  assert.equal(
    readWords(unread(1, { role: "plain" }), { id: 1, value: 3, colour: "base" }),
    "3",
    "no rule tells it from others",
  );
  assert.equal(readWords(die(1, { colour: null }), null), "4 colour?");
});

const square = (x, y, half, angle) =>
  [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([u, v]) => [
    x + half * (u * Math.cos(angle) - v * Math.sin(angle)),
    y + half * (u * Math.sin(angle) + v * Math.cos(angle)),
  ]);

test("a crop stands around the top face and is turned upright by the least", () => {
  for (const [angle, turn] of [
    [0, 0],
    [0.4, 0.4],
    [-0.4, -0.4],
    [Math.PI / 2 + 0.2, 0.2],
    [Math.PI - 0.3, -0.3],
    [-3, Math.PI - 3],
  ]) {
    const crop = cropOf(die(1, { top_quad_px: square(300, 200, 40, angle) }));
    assert.deepEqual(crop.center.map(Math.round), [300, 200]);
    assert.ok(Math.abs(crop.turn_rad - turn) < 1e-9, `${angle}: ${crop.turn_rad}`);
    assert.ok(crop.side > 80 && crop.side < 160);
  }
});

test("without a top face its box is cut out as it stands; without either nothing is", () => {
  assert.deepEqual(cropOf(die(1, { box_px: [100, 50, 60, 40] })), { center: [130, 70], side: 72, turn_rad: 0 });
  assert.equal(cropOf(die(1)), null);
});

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
