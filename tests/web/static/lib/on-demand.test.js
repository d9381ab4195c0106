import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { onDemand } from "../../../../device/web/ui/lib/on-demand.js";

test("a part is loaded once, when it is first used", async () => {
  let loads = 0;
  const part = onDemand(async () => (loads += 1));
  const used = [];
  assert.equal(part.now, null);
  await Promise.all([part.use((one) => used.push(one)), part.use((one) => used.push(one))]);
  assert.deepEqual([loads, used, part.now], [1, [1, 1], 1]);
  part.use((one) => used.push(one));
  assert.equal(used.length, 3, "what is there is used at once");
});
