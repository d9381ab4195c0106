import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownRolls, share } from "../../../../device/web/features/phones/components/own-rolls.js";

const counts = { rolls: 5, succeeded: 2, failed: 1, pushed: 2, pushed_succeeded: 1, faces: [1, 0, 0, 0, 0, 3] };

test("a share is of what was told, and of nothing there is none", () => {
  assert.equal(share(1, 3), "33%");
  assert.equal(share(0, 0), "");
});

test("rolls without a difficulty are no failures", () => {
  const shown = markup(ownRolls({ rolls: [], counts }));
  assert.match(shown, /Rolls<\/dt><dd>5</);
  assert.match(shown, /Successes<\/dt><dd>2 <small>67%/);
  assert.match(shown, /Pushed<\/dt><dd>2 <small>1 of them/);
  assert.match(shown, /<b>6<\/b> 3 <small>75%/);
});

test("before the first die there are no faces", () => {
  assert.doesNotMatch(
    markup(ownRolls({ rolls: [], counts: { ...counts, pushed: 0, faces: [0, 0, 0, 0, 0, 0] } })),
    /faces/,
  );
});
