import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { idleMinutes, isAtRest, placeAt, rollWords, stirring } from "../../../../device/web/features/table/lib/idle.js";

function storage(kept = {}) {
  return () => ({ getItem: (key) => kept[key] ?? null, setItem: (key, value) => (kept[key] = value) });
}

test("the address says after how many minutes, and the browser keeps it for the bare address", () => {
  const kept = {};
  assert.equal(idleMinutes("", storage(kept)), null, "the settings hold");
  assert.equal(idleMinutes("?kiosk&idle=10", storage(kept)), 10);
  assert.equal(idleMinutes("", storage(kept)), 10);
  assert.equal(idleMinutes("?idle=0", storage(kept)), 0);
  assert.equal(idleMinutes("", storage(kept)), 0);
});

test("what is no number of minutes is not one, and no wait takes days", () => {
  for (const wrong of ["?idle=", "?idle=soon", "?idle=-3", "?idle=1e9"])
    assert.equal(idleMinutes(wrong, storage()), null, wrong);
  assert.equal(idleMinutes("?idle=99999", storage()), 240);
});

test("without storage the number holds for the page", () => {
  const off = () => {
    throw new Error("storage is off");
  };
  assert.equal(idleMinutes("?idle=7", off), 7);
  assert.equal(idleMinutes("", off), null);
});

const empty = { state: "empty", dice: [], problems: [], asked: null, asked_next: [], clocks: { clocks: [] } };

test("the tray and new rolls wake it, clocks do not", () => {
  const still = stirring(empty);
  assert.equal(stirring({ ...empty, clocks: { clocks: [{ id: 1 }] }, version: 7 }), still);
  for (const change of [
    { state: "rolling" },
    { hand_in_view: true },
    { asked: { id: 1 } },
    { asked_next: [{ id: 2 }] },
    { problems: ["no_tray"] },
    { dice: [{}] },
    { fault: { part: "camera" } },
  ]) {
    assert.notEqual(stirring({ ...empty, ...change }), still, JSON.stringify(change));
  }
});

test("it comes over an empty tray with nothing wrong alone", () => {
  assert.ok(isAtRest(empty));
  for (const change of [{ state: "scored" }, { hand_in_view: true }, { problems: ["too_dark"] }, { dice: [{}] }])
    assert.ok(!isAtRest({ ...empty, ...change }), JSON.stringify(change));
  assert.ok(!isAtRest(undefined));
});

test("a roll is told by who, what for and result; of a hidden one only that it was", () => {
  const outcome = { headline: { value: 2, word: "successes" } };
  assert.deepEqual(rollWords({ owner: "Ann", label: "Notice", outcome }), ["Ann · Notice", "2 successes"]);
  assert.deepEqual(rollWords({ owner: null, label: null, outcome: null }), ["A roll", "–"]);
  assert.deepEqual(rollWords({ owner: "Ann", label: null, hidden: true, outcome: null }), ["Ann", "hidden"]);
});

test("it stands nowhere two minutes in a row, and in the middle at first", () => {
  const places = Array.from({ length: 40 }, (_, minute) => placeAt(minute).join());
  assert.equal(places[0], "0.5,0.5");
  for (const [minute, place] of places.slice(1).entries()) assert.notEqual(place, places[minute]);
  assert.ok(new Set(places).size >= 9);
});
