import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dayWords, timeWords } from "../../../../device/web/ui/lib/moments.js";
import {
  coursesAsColumns,
  eveningWords,
  movedDice,
  queryOf,
} from "../../../../device/web/features/archive/lib/remembered.js";

test("a search as the query of an address", () => {
  assert.equal(queryOf({ player: null, text: "  ", from: undefined }), "");
  assert.equal(
    queryOf({ evening: 3, player: "Mira & Ann", text: " a b ", to: "" }),
    "?evening=3&player=Mira+%26+Ann&text=a+b",
  );
});

test("an evening in one line", () => {
  const evening = {
    id: 1,
    name: "The old mill",
    begun: "2026-01-30T19:05:00.000+00:00",
    ended: "2026-01-30T22:10:00.000+00:00",
    over: true,
    rolls: 3,
    pushes: 1,
    players: ["Mira", "Ann"],
    systems: [],
  };
  const when = `${dayWords(evening.begun)} · ${timeWords(evening.begun)}–${timeWords(evening.ended)}`;
  assert.equal(eveningWords(evening), `The old mill · ${when} · Mira, Ann`);
  assert.equal(eveningWords({ ...evening, name: null, players: [] }), when);
  assert.match(dayWords(evening.begun), /2026/);
});

test("the dice that a push moved, and all of a first throw", () => {
  const dice = [{ id: 1 }, { id: 2 }, { id: 3 }];
  assert.deepEqual(
    movedDice({ dice, thrown: [1, 3] }).map(({ id }) => id),
    [1, 3],
  );
  assert.deepEqual(movedDice({ dice, thrown: null }), dice);
});

test("courses of different lengths stand side by side and begin at nothing", () => {
  assert.deepEqual(coursesAsColumns([[0.5, 0.25], [-1]]), [
    [0, 1, 2],
    [0, 0.5, 0.25],
    [0, -1, null],
  ]);
  assert.deepEqual(coursesAsColumns([]), [[0]]);
});
