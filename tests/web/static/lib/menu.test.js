// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import { trailOf } from "../../../../device/web/ui/lib/menu.js";

test("Back goes along the pages that one came through", () => {
  assert.deepEqual(trailOf(null, "/"), ["/"]);
  assert.deepEqual(trailOf(["/"], "/history"), ["/", "/history"]);
  assert.deepEqual(trailOf(["/", "/history"], "/statistics?player=Bo"), ["/", "/history", "/statistics?player=Bo"]);
});

test("a user who is back on a page goes on from there, and never round in circles", () => {
  assert.deepEqual(trailOf(["/?kiosk", "/history", "/statistics"], "/history"), ["/?kiosk", "/history"]);
  assert.deepEqual(trailOf(["/?kiosk", "/history"], "/"), ["/"]);
  assert.deepEqual(trailOf(["/", "/history"], "/history?text=1"), ["/", "/history?text=1"]);
});

test("what another program kept leads nowhere else", () => {
  assert.deepEqual(trailOf(["javascript:1", 4, "/sheets"], "/gm"), ["/sheets", "/gm"]);
  assert.deepEqual(trailOf("/sheets", "/gm"), ["/gm"]);
});
