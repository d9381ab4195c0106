import { clock, FakeEventSource, holdClock } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepStream } from "../../../../device/web/ui/lib/stream.js";

holdClock();

test("what the stream says is told by its kind", () => {
  const told = [];
  keepStream((one) => told.push(one));
  FakeEventSource.last.say("open");
  FakeEventSource.last.say("message", "one");
  FakeEventSource.last.say("beat", "two");
  FakeEventSource.last.say("error");
  assert.deepEqual(told, [
    { kind: "open" },
    { kind: "snapshot", text: "one" },
    { kind: "beat", beatMs: 4000 },
    { kind: "broken" },
  ]);
});

test("a refused stream is opened again after a pause, one that broke by the browser itself", async () => {
  keepStream(() => {});
  const count = FakeEventSource.all.length;
  FakeEventSource.last.say("error");
  await clock.turn(10_000);
  assert.equal(FakeEventSource.all.length, count);
  FakeEventSource.last.close();
  FakeEventSource.last.say("error");
  await clock.turn(2_900);
  assert.equal(FakeEventSource.all.length, count);
  await clock.turn(200);
  assert.equal(FakeEventSource.all.length, count + 1);
});

test("however many ask at once, it is reopened once", async () => {
  const stream = keepStream(() => {});
  const count = FakeEventSource.all.length;
  stream.again();
  assert.equal(FakeEventSource.all.length, count, "it was opened only now");
  await clock.turn(2_000);
  stream.again();
  stream.again();
  assert.equal(FakeEventSource.all.length, count + 1);
  stream.close();
  assert.equal(FakeEventSource.last.readyState, FakeEventSource.CLOSED);
});
