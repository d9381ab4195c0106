import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { outlineOf, overlap, placePlates } from "../../../../device/web/features/table/components/outlines.js";

const FRAME = { width: 1280, height: 960 };
const outline = (x, y, sign = "reroll") => ({
  die: {},
  sign,
  corners: [
    [x, y],
    [x + 70, y],
    [x + 70, y + 70],
    [x, y + 70],
  ],
});

test("boxes that only touch do not overlap", () => {
  const box = { x: 0, y: 0, width: 10, height: 10 };
  assert.equal(overlap(box, { ...box, x: 10 }), 0);
  assert.equal(overlap(box, { ...box, x: 8, y: 5 }), 10);
});

test("a die with more than six sides is marked by its kind's outline", () => {
  const square = outline(100, 200).corners;
  assert.equal(outlineOf(square), square);
  assert.deepEqual(
    [8, 10, 12].map((sides) => outlineOf(square, sides).length),
    [4, 6, 10],
  );
  const [top, right] = outlineOf(square, 8);
  assert.ok(top[0] === 135 && top[1] < 210 && right[0] > 160 && right[1] === 235, "a d8 stands on its tip");
});

test("a plate stands above its die, or where it covers less", () => {
  const [free] = placePlates([outline(600, 400)], FRAME);
  assert.ok(free.y + free.height <= 400);
  const [under] = placePlates([outline(600, 400), outline(600, 320)], FRAME);
  assert.ok(under.y >= 470 || under.x >= 670 || under.x + under.width <= 600, "the die above is not covered");
});

test("plates stay in the picture and off each other", () => {
  const plates = placePlates([outline(0, 0), outline(1200, 880), outline(80, 0), outline(1100, 880)], FRAME);
  for (const plate of plates)
    assert.ok(plate.x >= 0 && plate.y >= 0 && plate.x + plate.width <= 1280 && plate.y + plate.height <= 960);
  for (const [index, plate] of plates.entries())
    for (const other of plates.slice(0, index)) assert.equal(overlap(plate, other), 0);
});
