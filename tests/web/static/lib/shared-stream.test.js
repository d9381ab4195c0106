import { FakeEventSource } from "../browser.js";
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";

const worker = (globalThis.self = new EventTarget());
await import("../../../../device/web/ui/lib/shared-stream.js");
const opened = [];
after(() => opened.forEach((port) => port.close()));

async function tab() {
  const { port1, port2 } = new MessageChannel();
  const told = [];
  port1.on("message", (one) => told.push(one));
  opened.push(port1);
  worker.dispatchEvent(Object.assign(new Event("connect"), { ports: [port2] }));
  await once(port1, "message");
  return { port: port1, told };
}

test("all tabs share one stream, and one that comes later gets the latest snapshot with its age", async () => {
  const first = await tab();
  assert.deepEqual(first.told, [{ kind: "here" }]);
  FakeEventSource.last.say("message", "news");
  await once(first.port, "message");
  const second = await tab();
  while (second.told.length < 3) await once(second.port, "message");
  assert.equal(FakeEventSource.all.length, 1);
  assert.deepEqual(first.told.at(-1), { kind: "snapshot", text: "news" });
  const [here, open, { ageMs, ...snapshot }] = second.told;
  assert.deepEqual([here, open, snapshot], [{ kind: "here" }, { kind: "open" }, { kind: "snapshot", text: "news" }]);
  assert.ok(ageMs >= 0);
});

test("a tab that asks again is answered at once; one that says goodbye hears no more", async () => {
  const [asks, leaves] = [await tab(), await tab()];
  while (leaves.told.length < 3 || asks.told.length < 3)
    await Promise.race([once(leaves.port, "message"), once(asks.port, "message")]);
  asks.told.length = leaves.told.length = 0;
  leaves.port.postMessage("bye");
  asks.port.postMessage("again");
  await once(asks.port, "message");
  assert.deepEqual(asks.told, [{ kind: "here" }]);
  FakeEventSource.last.say("beat", "still");
  await once(asks.port, "message");
  assert.deepEqual([asks.told.at(-1), leaves.told], [{ kind: "beat", beatMs: 4000 }, []]);
});
