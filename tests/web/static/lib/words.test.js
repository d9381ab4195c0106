import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../../../device/web/static/lib/words.js";

const { headline, isWaiting, problemsOf } = words;

const die = (id, more = {}) => ({ id, colour: "base", value: 3, ...more });

test("lists read as people say them", () => {
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(words.listWords), ["", "a", "a and b", "a, b and c"]);
  assert.equal(words.poolWords({ base: 2, skill: 0, gear: 1 }), "2 base and 1 gear");
  assert.equal(words.poolWords(null), "");
  assert.equal(words.poolWords({ plain: 4 }), "4 dice");
  assert.equal(words.poolWords({ wild: 1, plain: 2 }), "1 wild and 2 normal");
  assert.deepEqual(["plain", "wild", null].map((role) => words.classWords({ role, colour: null })), ["", "wild", "colour?"]);
  assert.equal(words.classWords({ role: null, colour: "base" }), "base");
});

test("a die asks one question, the most urgent one first", () => {
  const kinds = [
    [{ wrong: true }, "awaiting_push", "wrong"],
    [{ wrong: true, must_reroll: true }, "awaiting_push", "reroll"],
    [{ picked_up: true, value: null }, "awaiting_push", "picked"],
    [{ picked_up: true, locked: true }, "awaiting_push", "wrong"],
    [{ picked_up: true, locked: true }, "scored", "picked"],
    [{ value: null }, "unclear", "unread"],
    [{ unread: "cocked" }, "unclear", "unread"],
    [{ must_reroll: true }, "resolved", "final"],
    [{ must_reroll: true }, "scored", "reroll"],
    [{ locked: true }, "scored", "stay"],
    [{ thrown: true }, "awaiting_push", "stay"],
    [{}, "scored", "final"],
  ];
  for (const [more, state, kind] of kinds) assert.equal(words.kindOf(die(1, more), state), kind, JSON.stringify(more));
});

test("after a push that was played wrong only the dice that it names go again", () => {
  const dice = [die(1, { must_reroll: true }), die(2, { must_reroll: true }), die(3)];
  const ids = (snapshot) => words.toReroll(snapshot).map(({ id }) => id);
  const details = [{ code: "must_reroll_not_rolled", text: "", dice: [2] }];
  assert.deepEqual(ids({ state: "scored", dice, problem_details: details }), [1, 2]);
  assert.deepEqual(ids({ state: "awaiting_push", dice }), [1, 2]);
  assert.deepEqual(ids({ state: "awaiting_push", dice, problem_details: details }), [2]);
  assert.deepEqual(words.markedDice({ state: "awaiting_push", dice, problem_details: details }).map(({ must_reroll, thrown }) => [must_reroll, thrown]), [[false, true], [true, undefined], [undefined, undefined]]);
});

test("every problem is listed once, with its details where there are some", () => {
  const told = words.problemsOf({ problems: ["too_dark", "moving"], problem_details: [{ code: "moving", text: "A hand." }, { code: "gone", text: "" }] });
  assert.deepEqual(told.map(({ code, text }) => [code, text]), [["moving", "A hand."], ["too_dark", ""]]);
});

test("other dice than declared are a matter of the pool only before a push", () => {
  const snapshot = { state: "unclear", pool: { base: 2 }, problems: ["wrong_dice_count"], presses: { push: { reason: "unclear" } } };
  assert.equal(words.isOfPool(snapshot), true);
  assert.equal(words.isOfPool({ ...snapshot, presses: { push: { reason: "already_pushed" } } }), false);
  assert.equal(words.isOfPool({ ...snapshot, pool: null }), false);
  assert.equal(words.isOfPool({ ...snapshot, problems: ["too_dark"] }), false);
});

test("under the headline stands the one thing to do next; a fault says what is wrong", () => {
  const next = { code: "clear", text: "Take the dice out.", wrong: false };
  assert.deepEqual(headline({ state: "scored", outcome: { success: true }, next }), ["Success", "Take the dice out."]);
  assert.deepEqual(headline({ state: "scored", outcome: null, hidden: true, next }), ["Hidden roll", "Take the dice out."]);
  assert.match(headline({ state: "empty", simulated: true, example_pool: { base: 5, skill: 2, gear: 1 }, next: { ...next, code: "choose" } })[1], /5 base, 2 skill and 1 gear/);
  assert.equal(headline({ state: "rolling", next: { ...next, code: "wait" } })[0], "Rolling…");
  assert.equal(headline({ state: "rolling", next: { ...next, code: "clearing" } })[0], "Something moves");
  assert.deepEqual(headline({ state: "fault", fault: { part: "camera", text: "Gone.", retry_in_s: 2 }, next }), ["Camera fault", "Gone. Trying again in 2 s."]);
});

test("what the rules wait for anyway is no problem", () => {
  const typed = { state: "unclear", problems: ["typed_die_missing"], next: { code: "tap_in", text: "Tap in the d8.", wrong: false } };
  assert.equal(isWaiting(typed), true);
  assert.deepEqual(problemsOf(typed), []);
  assert.deepEqual(headline(typed), ["One more thing", "Tap in the d8."]);
  const missing = { ...typed, problems: ["wrong_dice_count"], next: { ...typed.next, wrong: true } };
  assert.equal(problemsOf(missing).length, 1);
  assert.equal(headline(missing)[0], "Not clear yet");
});

test("what is wrong stands in few words, and so does the next act", () => {
  const next = (code) => ({ code, text: "", wrong: true });
  assert.deepEqual(words.glance({ state: "unclear", problems: ["foreign_object"], next: next("view") }), ["Not only dice inside", "Clear the view"]);
  assert.deepEqual(words.glance({ state: "unclear", problems: ["already_pushed"], next: next("reset") }), ["Pushed already", "Press Reset"]);
  assert.deepEqual(words.glance({ state: "unclear", problems: ["reading_doubtful"], confirmable: true, next: next("confirm") }), [undefined, "Confirm, or tap one"], "the headline asks");
  assert.deepEqual(words.glance({ state: "awaiting_push", problems: [], next: next("pick_up") }), [undefined, ""], "the headline says it");
  assert.deepEqual(words.glance({ state: "awaiting_push", problems: ["locked_die_changed"], next: next("turn_back") }), ["Locked die changed", "Turn it back"]);
  assert.deepEqual(words.glance({ state: "scored", problems: [], next: next("something_new") }), [undefined, ""]);
});
