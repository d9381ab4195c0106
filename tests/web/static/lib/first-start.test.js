import "../browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { STEPS, after, marksOf, remember, remembered, stepToShow, worstOf } = await import("../../../../device/web/static/lib/first-start.js");

const FRESH = { marks: {}, at: null };
const NEW_TRAY = { isCalibrated: false, hasRolled: false };
let kept;
beforeEach(() => {
  kept = {};
  globalThis.localStorage = { getItem: (key) => kept[key] ?? null, setItem: (key, text) => (kept[key] = text) };
});

test("a new tray begins with the rules and leads to the first roll", () => {
  assert.deepEqual(STEPS, ["system", "colours", "light", "calibrate", "roll"]);
  let memory = FRESH;
  const way = [];
  for (let step = stepToShow(memory, marksOf(memory, NEW_TRAY)); step; step = stepToShow(memory, marksOf(memory, NEW_TRAY))) {
    way.push(step);
    memory = after(memory, step, "done");
  }
  assert.deepEqual(way, STEPS);
});

test("what the tray knows is done wherever it was done", () => {
  const marks = marksOf({ marks: { calibrate: "skipped" }, at: null }, { isCalibrated: true, hasRolled: true });
  assert.deepEqual(marks, { system: "open", colours: "open", light: "open", calibrate: "done", roll: "done" });
});

test("whoever comes back goes on where he was", () => {
  remember(after(after(FRESH, "system", "done"), "colours", "skipped"));
  const memory = remembered();
  assert.deepEqual(memory, { marks: { system: "done", colours: "skipped" }, at: "light" });
  assert.equal(stepToShow(memory, marksOf(memory, NEW_TRAY)), "light");
  assert.equal(stepToShow({ ...memory, at: "roll" }, marksOf(memory, NEW_TRAY)), "roll");
});

test("a step that was done elsewhere meanwhile is passed over", () => {
  const memory = { marks: { system: "done", colours: "done", light: "done" }, at: "calibrate" };
  assert.equal(stepToShow(memory, marksOf(memory, { isCalibrated: true, hasRolled: false })), "roll");
  assert.equal(stepToShow(memory, marksOf(memory, { isCalibrated: true, hasRolled: true })), null);
});

test("steps that were left open before come after the last one", () => {
  const memory = after({ marks: { colours: "done", light: "done", calibrate: "done" }, at: "roll" }, "roll", "done");
  assert.equal(memory.at, "system");
});

test("what was kept and makes no sense is forgotten", () => {
  for (const text of ["{", "null", "[]", '{"marks": 3, "at": "moon"}', '{"marks": {"light": "perhaps", "moon": "done"}}']) {
    kept["pushtray-start"] = text;
    assert.deepEqual(remembered(), FRESH);
  }
});

test("a browser that keeps nothing goes the way all the same", () => {
  globalThis.localStorage = { getItem() { throw new Error("off"); }, setItem() { throw new Error("off"); } };
  remember({ marks: { system: "done" }, at: "colours" });
  assert.deepEqual(remembered(), FRESH);
});

test("light is as good as the worst check", () => {
  assert.equal(worstOf([{ verdict: "ok" }, { verdict: "not_checked" }]), "ok");
  assert.equal(worstOf([{ verdict: "warn" }, { verdict: "ok" }]), "warn");
  assert.equal(worstOf([{ verdict: "warn" }, { verdict: "fail" }]), "fail");
});
