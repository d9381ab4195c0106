import "../browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { STEPS, after, marksOf, readings, remember, remembered, stepsOf, stepToShow, verdictOf, worstOf } =
  await import("../../../../device/web/ui/lib/first-start.js");

const FRESH = { marks: {}, at: null };
const NEW_TRAY = { isCalibrated: false, rolls: 0 };
let kept;
beforeEach(() => {
  kept = {};
  globalThis.localStorage = { getItem: (key) => kept[key] ?? null, setItem: (key, text) => (kept[key] = text) };
});

test("a first weekend's tray has neither ring nor panel, and no step of them", () => {
  const small = ["system", "colours", "camera", "view", "focus", "light", "calibrate", "roll"];
  assert.deepEqual(stepsOf({ ring: false, panel: false }), small);
  assert.deepEqual(
    stepsOf({ ring: true, panel: false }).filter((step) => !small.includes(step)),
    ["ring", "relight"],
  );
  assert.deepEqual(
    stepsOf({ ring: false, panel: true }).filter((step) => !small.includes(step)),
    ["lamps", "buttons"],
  );
  assert.deepEqual(stepsOf({ ring: true, panel: true }), STEPS);
  const open = marksOf({ marks: { system: "done" }, at: "ring" }, NEW_TRAY);
  assert.equal(
    stepToShow({ marks: {}, at: "ring" }, open, small),
    "colours",
    "a step that is not there is passed over",
  );
  assert.equal(after(FRESH, "light", "done", small).at, "calibrate");
});

test("twenty rolls show how the tray reads: right, after a question, or wrong until corrected", () => {
  let id = 1000;
  const row = (roll, die, more = {}) => ({ id: --id, roll, dice: [{ value: 5, ...die }], ...more });
  const how = (...rows) => readings(rows).each.map((one) => one.how);
  assert.deepEqual(readings([]), { rolls: 0, right: 0, doubted: 0, corrected: 0, each: [] });
  assert.deepEqual(how(row(1, {}), row(2, { read_value: 5 }), { id: 1, roll: null }, { id: 2, roll: 3 }), [
    "right",
    "right",
    "right",
  ]);
  assert.deepEqual(how(row(1, { unread: "pips_unclear", read_value: 3 })), ["doubted"], "the tray had asked");
  assert.deepEqual(how(row(1, {}, { correction: { word: "confirmed" } })), ["doubted"]);
  assert.deepEqual(how(row(1, { read_value: 4 }), row(1, { value: 4 })), ["corrected"], "by any of its rows");
  assert.deepEqual(how(row(1, { added: true })), ["corrected"], "a die that was missed");
  assert.deepEqual(how(row(1, {}, { correction: { word: "no_die" } })), ["corrected"]);
  const forty = Array.from({ length: 40 }, (_, index) => row(40 - index, index < 20 ? {} : { read_value: 4 }));
  assert.deepEqual([readings(forty).rolls, readings(forty).right], [20, 20], "the newest twenty count");
  assert.deepEqual(
    [
      [0, 0],
      [3, 1],
      [2, 1],
      [0, 2],
    ].map(([doubted, corrected]) => verdictOf({ doubted, corrected })),
    ["ok", "warn", "ok", "fail"],
  );
});

test("a new tray begins with the rules and leads to twenty rolls", () => {
  let memory = FRESH;
  const way = [];
  for (
    let step = stepToShow(memory, marksOf(memory, NEW_TRAY));
    step;
    step = stepToShow(memory, marksOf(memory, NEW_TRAY))
  ) {
    way.push(step);
    memory = after(memory, step, "done");
  }
  assert.deepEqual(way, STEPS);
});

test("what the tray knows is done, but a calibration that was skipped stays skipped", () => {
  const known = { isCalibrated: true, rolls: 20 };
  const done = (marks) => STEPS.filter((step) => marks[step] === "done");
  assert.deepEqual(done(marksOf(FRESH, known)), ["calibrate", "roll"]);
  const skipped = marksOf({ marks: { calibrate: "skipped", roll: "skipped" }, at: null }, known);
  assert.deepEqual([done(skipped), skipped.calibrate], [["roll"], "skipped"]);
  assert.equal(marksOf(FRESH, { isCalibrated: false, rolls: 19 }).roll, "open");
});

test("a returning user goes on at the last step", () => {
  remember(after(after(FRESH, "system", "done"), "colours", "skipped"));
  const memory = remembered();
  assert.deepEqual(memory, { marks: { system: "done", colours: "skipped" }, at: "camera" });
  assert.equal(stepToShow(memory, marksOf(memory, NEW_TRAY)), "camera");
  assert.equal(stepToShow({ ...memory, at: "roll" }, marksOf(memory, NEW_TRAY)), "roll");
});

test("a step that was done elsewhere meanwhile is passed over", () => {
  const memory = { marks: Object.fromEntries(STEPS.slice(0, -2).map((step) => [step, "done"])), at: "calibrate" };
  assert.equal(stepToShow(memory, marksOf(memory, { isCalibrated: true, rolls: 3 })), "roll");
  assert.equal(stepToShow(memory, marksOf(memory, { isCalibrated: true, rolls: 20 })), null);
});

test("steps that were left open before come after the last one", () => {
  const memory = after(
    { marks: Object.fromEntries(STEPS.slice(1).map((step) => [step, "done"])), at: "roll" },
    "roll",
    "done",
  );
  assert.equal(memory.at, "system");
});

test("what was kept and makes no sense is forgotten", () => {
  for (const text of [
    "{",
    "null",
    "[]",
    '{"marks": 3, "at": "moon"}',
    '{"marks": {"light": "perhaps", "moon": "done"}}',
  ]) {
    kept["pushtray-start"] = text;
    assert.deepEqual(remembered(), FRESH);
  }
});

test("a browser that keeps nothing goes the way all the same", () => {
  globalThis.localStorage = {
    getItem() {
      throw new Error("off");
    },
    setItem() {
      throw new Error("off");
    },
  };
  remember({ marks: { system: "done" }, at: "colours" });
  assert.deepEqual(remembered(), FRESH);
});

test("light is as good as the worst check", () => {
  assert.equal(worstOf([{ verdict: "ok" }, { verdict: "not_checked" }]), "ok");
  assert.equal(worstOf([{ verdict: "warn" }, { verdict: "ok" }]), "warn");
  assert.equal(worstOf([{ verdict: "warn" }, { verdict: "fail" }]), "fail");
});
