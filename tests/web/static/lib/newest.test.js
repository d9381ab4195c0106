import assert from "node:assert/strict";
import { test } from "node:test";
import { byVersion, newest } from "../../../../device/web/ui/lib/newest.js";

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

test("what has a version is requested once for each, and again after a refusal", async () => {
  const answers = [{ ok: false }, { ok: true, snapshot: "first" }, { ok: true, snapshot: "second" }];
  let count = 0;
  const request = byVersion(async () => /** @type {any} */ (answers[count++]));
  const got = [];
  for (const version of [1, 1, 1, 2, 2]) got.push(await request(version));
  assert.deepEqual(got, [null, "first", null, "second", null]);
});

test("an answer for a version that is no longer the newest is dropped", async () => {
  /** @type {((answer: any) => void)[]} */
  const answers = [];
  const request = byVersion(() => new Promise((resolve) => answers.push(resolve)));
  const both = [request(1), request(2)];
  answers[1]({ ok: true, snapshot: "new" });
  answers[0]({ ok: true, snapshot: "old" });
  assert.deepEqual(await Promise.all(both), [null, "new"]);
});
