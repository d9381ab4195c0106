import { clock, FakeEventSource, happen, holdClock, onWindow } from "../browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { keepLink } from "../../../../device/web/ui/lib/link.js";

holdClock();
const heard = [];
const losses = [];
keepLink(
  (snapshot, isFirst) => heard.push([snapshot.version, isFirst]),
  (lost) => losses.push(lost),
);

beforeEach(() => {
  FakeEventSource.last.say("open");
  FakeEventSource.last.say("message", { version: 1 });
  heard.length = losses.length = 0;
});

test("each connection's first snapshot is told as such", () => {
  FakeEventSource.last.say("message", { version: 2 });
  FakeEventSource.last.say("open");
  FakeEventSource.last.say("message", { version: 3 });
  assert.deepEqual(heard, [
    [2, false],
    [3, true],
  ]);
});

test("beats keep the link; three missed ones lose it, and it is reopened until one is heard", async () => {
  for (let beat = 0; beat < 5; beat += 1) {
    await clock.turn(4000);
    FakeEventSource.last.say("beat", "");
  }
  assert.deepEqual(losses, []);
  const before = FakeEventSource.all.length;
  await clock.turn(13_000);
  assert.deepEqual(losses, [true]);
  await clock.turn(5_000);
  assert.ok(FakeEventSource.all.length >= before + 2, "it asks again and again");
  FakeEventSource.last.say("beat", "");
  assert.deepEqual(losses, [true, false]);
});

test("a connection that breaks for a moment is no loss", async () => {
  FakeEventSource.last.say("error");
  await clock.turn(600);
  FakeEventSource.last.say("message", { version: 2 });
  await clock.turn(3000);
  assert.deepEqual(losses, []);
  FakeEventSource.last.say("error");
  await clock.turn(800);
  assert.deepEqual(losses, [true]);
});

test("a hidden page holds no stream of its own and misses nothing", async () => {
  const source = FakeEventSource.last;
  document.hidden = true;
  happen("visibilitychange");
  assert.equal(source.readyState, FakeEventSource.CLOSED);
  await clock.turn(60_000);
  assert.deepEqual(losses, []);
  document.hidden = false;
  happen("visibilitychange");
  assert.notEqual(FakeEventSource.last, source);
  await clock.turn(2600);
  assert.deepEqual(losses, [true], "what it shows is old until it is updated");
});

test("a page that is kept while another is looked at gives its stream back", () => {
  const source = FakeEventSource.last;
  onWindow("pagehide");
  assert.equal(source.readyState, FakeEventSource.CLOSED);
  onWindow(Object.assign(new Event("pageshow"), { persisted: true }));
  assert.notEqual(FakeEventSource.last, source);
});
