import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { onDemand } from "../../../../device/web/ui/lib/on-demand.js";

test("a part is loaded once, when it is first used", async () => {
  let loads = 0;
  const part = onDemand(async () => (loads += 1), assert.fail);
  const used = [];
  assert.equal(part.now, null);
  await Promise.all([part.use((one) => used.push(one)), part.use((one) => used.push(one))]);
  assert.deepEqual([loads, used, part.now], [1, [1, 1], 1]);
  part.use((one) => used.push(one));
  assert.equal(used.length, 3, "what is there is used at once");
});

test("a load that fails is said, and tried again the next time", async () => {
  const said = [];
  let isUp = false;
  const part = onDemand(
    () => (isUp ? Promise.resolve("part") : Promise.reject(new TypeError("no network"))),
    (text) => said.push(text),
  );
  await part.use(assert.fail);
  assert.equal(said.length, 1);
  isUp = true;
  await part.use((one) => assert.equal(one, "part"));
  assert.deepEqual([part.now, said.length], ["part", 1]);
});
