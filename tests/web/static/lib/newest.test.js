import assert from "node:assert/strict";
import { test } from "node:test";
import { newest } from "../../../../device/web/ui/lib/newest.js";

test("an answer that a later request overtook is dropped, in whatever order they come", async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    /** @type {((answer: string) => void)[]} */
    const answers = [];
    const request = newest(() => new Promise((resolve) => answers.push(resolve)));
    const both = [request(), request()];
    for (const one of order) answers[one](`answer ${one}`);
    assert.deepEqual(await Promise.all(both), [null, "answer 1"]);
  }
});
