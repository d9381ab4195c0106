import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { namesIn, orderOf } from "../../../../device/web/ui/components/ask-roll.js";
import { groupsOf, inOrder } from "../../../../device/web/ui/components/dice-list.js";
import { placeOf } from "../../../../device/web/features/table/components/doubts.js";
import { countersOf, facesIn } from "../../../../device/web/ui/components/fields.js";
import { byRoll, historyRow, kindsWords } from "../../../../device/web/ui/components/history.js";
import { clocksShown, clockWords, segmentPath } from "../../../../device/web/features/table/components/clocks-now.js";
import { levelsToAdd } from "../../../../device/web/features/table/components/manual-dice.js";
import { miniDie } from "../../../../device/web/ui/components/mini-die.js";
import { valueWords } from "../../../../device/web/features/table/components/questions.js";

test("ask-roll: one roll, or several that belong together, with who is hidden", () => {
  const form = {
    kind: "alone",
    owner: "Ann",
    others: ["Zo"],
    thrower: "",
    label: "Notice",
    rolled: { dice: { base: 2 }, levels: {} },
    rolledBy: () => ({}),
    aim: { threshold: 2 },
    hidden: "open",
  };
  const mine = { owner: "Ann", dice: { base: 2 }, levels: {}, thrower: null };
  assert.deepEqual(orderOf(form), ["/api/asked", { ...mine, label: "Notice", aim: { threshold: 2 }, hidden: false }]);
  assert.equal(orderOf({ ...form, hidden: "all" })[1].hidden, true);
  const [path, order] = orderOf({ ...form, kind: "opposed", label: "", hidden: "others" });
  assert.equal(path, "/api/asked/together");
  assert.deepEqual(order, {
    kind: "opposed",
    rolls: [
      { ...mine, hidden: false },
      { owner: "Zo", hidden: true },
    ],
    label: null,
    aim: { threshold: 2 },
  });
  const by = (/** @type {string} */ other) => ({ sheet: other === "Zo" ? 2 : 3, tiles: { skill: "Fight" } });
  assert.deepEqual(
    orderOf({ ...form, kind: "group", others: ["Zo", "Bo"], rolledBy: by })[1].rolls.slice(1),
    [
      { owner: "Zo", ...by("Zo"), hidden: false },
      { owner: "Bo", ...by("Bo"), hidden: false },
    ],
    "each rolls by an own sheet",
  );
  assert.deepEqual(
    orderOf({ ...form, kind: "group", hidden: "all" })[1].rolls.map(({ hidden }) => hidden),
    [true, true],
  );
});

test("ask-roll: names stand between commas", () => {
  assert.deepEqual(namesIn(" Zo, ,Bo,"), ["Zo", "Bo"]);
  assert.equal(namesIn("A".repeat(60))[0].length, 60, "the tray says that it is too long");
});

test("dice-list: class by class as the palette names them, highest first", () => {
  const dice = [
    [1, "skill", 2],
    [2, "base", 1],
    [3, null, 6],
    [4, "base", 5],
    [5, "base", 1],
  ].map(([id, colour, value]) => ({ id, colour, value }));
  assert.deepEqual(
    inOrder(dice, { base: "yellow", skill: "green" }).map(({ id }) => id),
    [4, 2, 5, 1, 3],
  );
});

test("dice-list: what is asked comes first; of dice that stay or lie, what they did tells groups apart", () => {
  const dice = [
    [1, null, "nothing"],
    [2, "reroll", "counted"],
    [3, "stay", "cost"],
    [4, "stay", "counted"],
    [5, "stay", "counted"],
    [6, "reroll", "nothing"],
    [7, null, null],
    [8, "wrong", null],
  ].map(([id, ask, mark]) => ({ id, ask, mark }));
  assert.deepEqual(
    groupsOf(dice).map(({ ask, mark, members }) => [ask, mark, members.map(({ id }) => id)]),
    [
      ["wrong", null, [8]],
      ["reroll", null, [2, 6]],
      ["stay", "counted", [4, 5]],
      ["stay", "cost", [3]],
      [null, "nothing", [1]],
      [null, null, [7]],
    ],
  );
});

test("mini-die: its title names what it did, a sign shows it", () => {
  const drawn = (die) => markup(miniDie({ id: 1, colour: "base", role: "base", value: 1, ...die }));
  assert.ok(drawn({ mark: "cost" }).includes("base 1, Costs") && drawn({ mark: "cost" }).includes("<svg"));
  assert.ok(!drawn({ mark: "nothing" }).includes("<svg") && drawn({ mark: "nothing" }).includes("Nothing"));
  assert.ok(drawn({}).includes("mark-none"), "a row of an earlier version");
  assert.ok(drawn({ sides: 8, mark: "cost" }).includes("aria-label=base d8 1, Costs"), "its kind for screen readers");
  assert.ok(drawn({ sides: 8 }).includes("<small> d8</small>") && !drawn({ sides: 6 }).includes("<small>"));
});

test("doubts: a tap means the pixel under it, and none outside the picture", () => {
  const [box, picture] = [
    { left: 10, top: 20, width: 640, height: 640 },
    { width: 1280, height: 960 },
  ];
  assert.deepEqual(placeOf({ clientX: 10, clientY: 100 }, box, picture), [0, 0]);
  assert.deepEqual(placeOf({ clientX: 330, clientY: 340 }, box, picture), [640, 480]);
  assert.equal(placeOf({ clientX: 330, clientY: 99 }, box, picture), null, "the strip above it");
  assert.equal(placeOf({ clientX: 650, clientY: 340 }, box, picture), null);
});

test("fields: of two counters with one name the first kind's holds", () => {
  const sheet = {
    counters: [
      { kind: "gear", name: "rope", now: 1 },
      { kind: "skill", name: "rope", now: 2 },
      { kind: "hp", name: "hp", now: 3 },
    ],
  };
  assert.deepEqual(
    countersOf(sheet, ["skill", "gear"]).map(({ now }) => now),
    [2],
  );
  assert.deepEqual(countersOf(null, ["skill"]), []);
});

test("fields: faces are read however they are written", () => {
  assert.deepEqual([facesIn("5 3"), facesIn("53"), facesIn("5, 3."), facesIn("none")], [[5, 3], [5, 3], [5, 3], []]);
});

test("history: a corrected die shows both readings, another one alone", () => {
  const row = (die) =>
    markup(historyRow({ id: 7, at: "2030-01-01T10:00:00Z", kind: "corrected", dice: [die], outcome: null }));
  assert.ok(row({ id: 1, colour: "base", value: 6, read_value: 5 }).includes("<s>5</s>6"));
  assert.ok(!row({ id: 1, colour: "base", value: 6, read_value: 6, read_colour: "base" }).includes("<s>"));
});

test("history: a time that is none is shown as it came", () => {
  assert.ok(markup(historyRow({ id: 1, at: "soon", kind: "scored" })).includes(">soon<"));
});

test("manual-dice: one may be added where the rules played have such dice and none was declared", () => {
  const book = { tiles: { system: "step-dice", typed_levels: [{ level: "A", sides: 12 }] } };
  const snapshot = { system: "step-dice", state: "empty" };
  assert.equal(levelsToAdd(snapshot, book).length, 1);
  assert.deepEqual(levelsToAdd({ ...snapshot, system: "hits-pool" }, book), []);
  assert.deepEqual(levelsToAdd({ ...snapshot, state: "rolling" }, book), []);
  assert.deepEqual(levelsToAdd({ ...snapshot, typed_dice: [{ declared: true }] }, book), []);
  assert.deepEqual(levelsToAdd(snapshot, { tiles: null }), []);
});

const row = (id, roll, kind) => ({ id, roll, kind, at: "2030-01-01T10:00:00Z", dice: [], outcome: null });

test("history: what was written of a roll later stands in its row", () => {
  const rolls = byRoll([
    row(6, 3, "scored"),
    row(5, 2, "corrected"),
    row(4, 2, "corrected"),
    row(3, 2, "pushed"),
    row(2, 2, "scored"),
    row(1, 1, "scored"),
  ]);
  assert.deepEqual(
    rolls.map(({ id, kinds }) => [id, kindsWords(kinds)]),
    [
      [6, "Rolled"],
      [5, "Pushed, corrected"],
      [1, "Rolled"],
    ],
  );
  const numberless = [{ kind: "scored" }, { kind: "scored" }];
  assert.equal(byRoll(numberless).length, 2, "rows without a roll number are rolls of their own");
});

const clock = (id, more = {}) => ({ id, name: `Clock ${id}`, segments: 6, filled: 2, locked: false, ...more });

test("clocks-now: clocks that wait for another come last, and the line says how many more there are", () => {
  const [shown, more] = clocksShown([clock(1, { locked: true }), clock(2), clock(3), clock(4), clock(5)]);
  assert.deepEqual([shown.map(({ id }) => id), more], [[2, 3, 4, 5], 1]);
  assert.deepEqual(clocksShown([clock(1)])[1], 0);
  assert.deepEqual([clockWords(clock(1)), clockWords(clock(1, { filled: 6 }))], ["2 of 6", "full"]);
});

test("clocks: segments begin at the top and go round with the hands", () => {
  const ends = [0, 1, 2, 3].map((index) =>
    segmentPath(index, 4)
      .match(/L([\d.]+) ([\d.]+)/)
      .slice(1)
      .map(Number),
  );
  assert.deepEqual(
    ends.map(([x, y]) => [x > 50, y > 50]),
    [
      [true, false],
      [true, true],
      [false, true],
      [false, false],
    ],
  );
});

test("questions: answers are told in words", () => {
  assert.deepEqual([true, false, null, [], [1, "a_b"], { hp_after: 3, list: [true] }].map(valueWords), [
    "yes",
    "no",
    "–",
    "none",
    "1, A b",
    "Hp after 3, List yes",
  ]);
});
