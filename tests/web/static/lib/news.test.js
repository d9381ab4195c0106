import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { newsOf, seen } from "../../../../device/web/ui/lib/news.js";

const die = (id, more = {}) => ({ id, colour: "base", value: 6, ...more });
const presses = { push: { reason: "ok", text: "" } };
const shows = (title, lead = "") => ({ display: { title, lead, act: "" } });
const empty = { state: "empty", outcome: null, pool: null, presses, ...shows("Throw the dice") };
const rolling = { ...empty, state: "rolling" };
const scored = {
  ...shows("Success"),
  state: "scored",
  roll: 4,
  presses,
  dice: [die(1), die(2, { value: 3 })],
  outcome: { headline: { value: 2, word: "successes" }, success: true },
  lines: [{ kind: "good", about: "result", text: "1 stunt to spend" }],
  push: {},
};
const unclear = {
  ...rolling,
  ...shows("Look at 1 die"),
  state: "unclear",
  dice: [die(1), die(2, { value: null, unread: "cocked", ask: "unread" })],
};
const awaiting = { ...scored, state: "awaiting_push" };
const resolved = {
  ...scored,
  state: "resolved",
  lines: [...scored.lines, { kind: "plain", about: "result", text: "The push cost nothing" }],
};
const fault = {
  ...empty,
  ...shows("Camera fault", "The camera does not answer. Trying again in 4 s."),
  state: "fault",
  fault: { part: "camera", text: "The camera does not answer.", retry_in_s: 4 },
};

/** The sounds of a course of states, one name or "-" each; the first state is what lay there when the page was opened. */
function course(...states) {
  let known = seen(null, states[0]);
  return states.slice(1).map((state) => {
    const news = newsOf(known, state);
    known = seen(known, state);
    return news?.sound ?? "-";
  });
}
const words = (before, now) => newsOf(seen(null, before), now).words;

test("a roll from the throw to the reset", () => {
  assert.deepEqual(
    course(
      empty,
      rolling,
      scored,
      scored,
      awaiting,
      { ...awaiting, hand_in_view: true },
      resolved,
      resolved,
      empty,
      empty,
    ),
    ["-", "settled", "-", "-", "-", "pushed", "-", "reset", "-"],
  );
});

test("the next roll is news, though it shows the same and nothing was reset", () => {
  assert.deepEqual(course(scored, rolling, { ...scored, roll: 5 }), ["-", "settled"]);
  assert.deepEqual(course(scored, { ...scored, roll: 5 }), ["settled"]);
});

test("a result that may be pushed is heard as one", () => {
  const pushable = { ...scored, presses: { push: { ...presses.push, allowed: true } } };
  assert.deepEqual(course(rolling, pushable, { ...pushable, roll: 5 }, { ...scored, roll: 6 }), [
    "pushable",
    "pushable",
    "settled",
  ]);
});

test("a hand that only passed by is no news", () => {
  assert.deepEqual(course(empty, rolling, empty), ["-", "-"]);
  assert.deepEqual(course(scored, { ...scored, hand_in_view: true }, scored), ["-", "-"]);
});

test("a correction of what lies there is no news, and neither is a result that it gives back", () => {
  const corrected = {
    ...scored,
    dice: [die(1), die(2, { corrected: true })],
    outcome: { ...scored.outcome, headline: { value: 3, word: "successes" } },
  };
  assert.deepEqual(course(scored, corrected, scored), ["-", "-"]);
  assert.deepEqual(course(scored, unclear, corrected), ["person", "-"]);
  assert.deepEqual(course(awaiting, resolved, { ...unclear, presses }, resolved), ["pushed", "person", "-"]);
});

test("a doubt is told once, settling one of two dice is none, and the result after it is news", () => {
  const two = {
    ...unclear,
    dice: [die(1, { value: null, unread: "stacked", ask: "unread" }), ...unclear.dice.slice(1)],
  };
  assert.deepEqual(course(rolling, two, two, unclear, scored), ["person", "-", "-", "settled"]);
  assert.deepEqual(course(rolling, unclear, two), ["person", "person"]);
  assert.deepEqual(course(unclear, rolling, unclear), ["-", "person"], "thrown again, it is doubted again");
  assert.deepEqual(
    course(rolling, { ...unclear, dice: [die(1)], confirmable: true }),
    ["person"],
    "dice to be confirmed",
  );
});

test("what is wrong with a push or with the tray is told once", () => {
  const wrong = { ...awaiting, problems: ["locked_die_changed"] };
  assert.deepEqual(course(awaiting, wrong, wrong, awaiting, resolved), ["wrong", "-", "-", "pushed"]);
  assert.deepEqual(course(empty, { ...empty, problems: ["too_dark"] }, { ...empty, problems: ["too_dark"] }, empty), [
    "person",
    "-",
    "-",
  ]);
  assert.deepEqual(course(scored, fault, { ...fault, fault: { ...fault.fault, retry_in_s: 8 } }, scored), [
    "person",
    "-",
    "-",
  ]);
});

test("only dice that were picked up or thrown wrong are called a push played wrong", () => {
  for (const code of ["wrong_dice_count", "wrong_role_count", "locked_die_changed", "must_reroll_not_rolled"])
    assert.deepEqual(course(awaiting, { ...awaiting, problems: [code] }), ["wrong"], code);
  for (const code of ["cannot_score", "already_pushed", "passive_roll"])
    assert.deepEqual(course(awaiting, { ...awaiting, problems: [code] }), ["person"], code);
  assert.deepEqual(
    course(
      awaiting,
      { ...awaiting, problems: ["cannot_score"] },
      { ...awaiting, problems: ["cannot_score", "wrong_dice_count"] },
      { ...awaiting, problems: ["wrong_dice_count", "too_dark"] },
    ),
    ["person", "wrong", "person"],
  );
});

test("every push of a roll is told, one through a doubt or without a press, too; one taken back is none", () => {
  assert.deepEqual(course(awaiting, resolved, awaiting, resolved), ["pushed", "-", "pushed"]);
  assert.deepEqual(course(awaiting, unclear, resolved), ["person", "pushed"]);
  assert.deepEqual(course(scored, { ...unclear, problems: ["thrown_without_push"] }, resolved), ["person", "pushed"]);
  assert.deepEqual(course(scored, awaiting, scored), ["-", "-"]);
});

test("each throw of an exploding die is told", () => {
  const again = { ...scored, awaiting: { kind: "throw", dice: [1] } };
  const more = { ...again, dice: [die(1, { earlier: [6] }), die(2)] };
  assert.deepEqual(course(rolling, again, again, more, { ...more, awaiting: null }), ["settled", "-", "settled", "-"]);
});

test("a result is said as the page shows it, without saying anything twice", () => {
  assert.equal(words(rolling, scored), "2 successes. 1 stunt to spend.");
  assert.equal(
    words(rolling, {
      ...scored,
      ...shows("No success"),
      lines: [],
      outcome: { headline: { value: 0, word: "successes" }, success: false },
    }),
    "No success.",
  );
  assert.equal(
    words(rolling, {
      ...scored,
      ...shows("No success"),
      lines: [],
      outcome: { headline: { value: 2, word: "hits" }, success: false },
    }),
    "2 hits. No success.",
  );
  assert.equal(words(awaiting, resolved), "2 successes. 1 stunt to spend. The push cost nothing.");
  assert.equal(words(rolling, { ...scored, next: { text: "Take them out." } }), "2 successes. 1 stunt to spend.");
  assert.equal(
    words(rolling, {
      ...scored,
      awaiting: { kind: "throw", dice: [1] },
      ...shows("Throw the wild die again"),
    }),
    "2 successes. Throw the wild die again. 1 stunt to spend.",
  );
});

test("what a person is asked for is said with what stands below the headline", () => {
  assert.equal(
    words(rolling, {
      ...unclear,
      ...shows("Look at 1 die", "Lay it flat."),
      next: { text: "Lay it flat.", wrong: false },
    }),
    "Look at 1 die. Lay it flat.",
  );
  assert.equal(
    words(awaiting, {
      ...awaiting,
      ...shows("Locked die changed"),
      problems: ["locked_die_changed"],
      problem_details: [{ code: "locked_die_changed", text: "Put it back." }],
    }),
    "Locked die changed. Put it back.",
  );
  assert.equal(words(empty, fault), "Camera fault. The camera does not answer. Trying again in 4 s.");
  assert.equal(words(scored, empty), "");
});
