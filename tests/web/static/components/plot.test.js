import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { piled } from "../../../../device/web/features/archive/components/plot.js";

test("bars are piled up, the tallest first so that the others stand in front of it", () => {
  const series = [
    { name: "saved", values: [1, 0] },
    { name: "better", values: [2, 3] },
    { name: "nothing", values: [null, 1] },
  ];
  const drawn = piled(series);
  assert.deepEqual(
    drawn.map(({ name, values }) => [name, values]),
    [
      ["nothing", [3, 4]],
      ["better", [3, 3]],
      ["saved", [1, 0]],
    ],
  );
  assert.deepEqual(series[0].values, [1, 0], "what was given stays as it is");
});
