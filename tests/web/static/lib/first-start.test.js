import "../browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { STEPS, after, marksOf, readings, remember, remembered, stepsOf, stepToShow, worstOf } =
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

test("twenty rolls show how the tray reads: each counts once, corrected or not", () => {
  const row = (roll, value, read) => ({ roll, dice: [read === undefined ? { value } : { value, read_value: read }] });
  assert.deepEqual(readings([]), { rolls: 0, corrected: 0 });
  assert.deepEqual(readings([row(3, 4, 5), row(3, 5), row(2, 1, 1), { roll: null }, { roll: 1 }]), {
    rolls: 3,
    corrected: 1,
  });
  assert.equal(
    readings(Array.from({ length: 40 }, (_, index) => row(40 - index, 2, index < 20 ? 2 : 3))).corrected,
    0,
    "the newest twenty count",
  );
  assert.equal(readings(Array.from({ length: 40 }, (_, index) => row(40 - index, 2))).rolls, 20);
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

test("what the tray knows is done wherever it was done", () => {
  const marks = marksOf({ marks: { calibrate: "skipped" }, at: null }, { isCalibrated: true, rolls: 20 });
  assert.deepEqual(
    STEPS.filter((step) => marks[step] === "done"),
    ["calibrate", "roll"],
  );
  assert.equal(marksOf(FRESH, { isCalibrated: false, rolls: 19 }).roll, "open");
});

test("whoever comes back goes on where he was", () => {
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
