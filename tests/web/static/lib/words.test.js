import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../../../device/web/ui/lib/words.js";

const { isWaiting, problemsOf } = words;

const die = (id, more = {}) => ({ id, colour: "base", value: 3, ...more });

test("a die is called by its role, or by its colour", () => {
  assert.deepEqual(
    ["plain", "wild", null].map((role) => words.classWords({ role, colour: null })),
    ["", "wild", "colour?"],
  );
  assert.equal(words.classWords({ role: null, colour: "base" }), "base");
});

test("the dice that go are those of the hand, too, but none that stays", () => {
  const dice = [
    die(1, { must_reroll: true, ask: "reroll" }),
    die(2, { must_reroll: true, ask: "picked" }),
    die(3, { must_reroll: true, ask: "stay" }),
    die(4),
  ];
  assert.deepEqual(
    words.toReroll({ dice }).map(({ id }) => id),
    [1, 2],
  );
});

test("every problem is listed once, with its details where there are some", () => {
  const told = words.problemsOf({
    problems: ["too_dark", "moving"],
    problem_details: [
      { code: "moving", text: "A hand." },
      { code: "gone", text: "" },
    ],
  });
  assert.deepEqual(
    told.map(({ code, text }) => [code, text]),
    [
      ["moving", "A hand."],
      ["too_dark", ""],
    ],
  );
});

test("other dice than declared are a matter of the pool only before a push", () => {
  const snapshot = {
    state: "unclear",
    pool: { base: 2 },
    problems: ["wrong_dice_count"],
    presses: { push: { reason: "unclear" } },
  };
  assert.equal(words.isOfPool(snapshot), true);
  assert.equal(words.isOfPool({ ...snapshot, presses: { push: { reason: "already_pushed" } } }), false);
  assert.equal(words.isOfPool({ ...snapshot, pool: null }), false);
  assert.equal(words.isOfPool({ ...snapshot, problems: ["too_dark"] }), false);
});

test("what the rules wait for anyway is no problem", () => {
  const typed = {
    state: "unclear",
    problems: ["typed_die_missing"],
    next: { code: "tap_in", text: "Tap in the d8.", wrong: false },
  };
  assert.equal(isWaiting(typed), true);
  assert.deepEqual(problemsOf(typed), []);
  const missing = { ...typed, problems: ["wrong_dice_count"], next: { ...typed.next, wrong: true } };
  assert.equal(problemsOf(missing).length, 1);
});
