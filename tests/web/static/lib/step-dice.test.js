import assert from "node:assert/strict";
import { test } from "node:test";
import { OUTLINES, kindWord } from "../../../../device/web/ui/lib/step-dice.js";

test("dice with more than six sides have an outline of their own and their kind in words", () => {
  assert.deepEqual([undefined, 6, 8, 10, 12].map(kindWord), ["", "", " d8", " d10", " d12"]);
  for (const sides of [8, 10, 12])
    for (const part of OUTLINES[sides].split(/[ ,]/).map(Number)) assert.ok(part >= 0 && part <= 64, String(sides));
});
