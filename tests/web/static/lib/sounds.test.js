import { clock, holdClock } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS, soundBox } from "../../../../device/web/ui/lib/sounds.js";

holdClock();

/** An AudioContext that stands still until somebody has touched the page, as the real one does, and notes what it is to ring. */
class FakeAudioContext {
  static isTouched = false;
  static last = null;
  state = "suspended";
  currentTime = 5;
  destination = {};
  waiting = [];
  tones = [];
  constructor() {
    FakeAudioContext.last = this;
  }
  resume() {
    return new Promise((done) => {
      this.waiting.push(done);
      if (FakeAudioContext.isTouched) this.go();
    });
  }
  go() {
    this.state = "running";
    for (const done of this.waiting.splice(0)) done();
  }
  async suspend() {
    this.state = "suspended";
  }
}
class FakeNode {
  constructor(context, options) {
    Object.assign(this, options);
    this.context = context;
  }
  connect(next) {
    this.next = next;
    return next;
  }
}
globalThis.AudioContext = FakeAudioContext;
globalThis.GainNode = class extends FakeNode {
  levels = [];
  gain = {
    setValueAtTime: (level, at) => this.levels.push([level, at]),
    linearRampToValueAtTime: (level, at) => this.levels.push([level, at]),
    exponentialRampToValueAtTime: (level, at) => this.levels.push([level, at]),
  };
  constructor(context) {
    super(context);
  }
};
globalThis.OscillatorNode = class extends FakeNode {
  events = new EventTarget();
  addEventListener(...all) {
    this.events.addEventListener(...all);
  }
  start(at) {
    assert.equal(this.context.state, "running");
    this.from = at;
    this.context.tones.push(this);
  }
  stop(at) {
    this.until = at;
  }
  end() {
    this.events.dispatchEvent(new Event("ended"));
  }
};

test("before the first gesture nothing rings, and what was asked for then never does", async () => {
  const box = soundBox();
  const first = box.play("settled", 1);
  const context = FakeAudioContext.last;
  await clock.turn(5000);
  FakeAudioContext.isTouched = true;
  context.go();
  await first;
  assert.deepEqual([context.tones.length, context.state], [0, "suspended"]);
  await box.play("settled", 1);
  assert.equal(context.tones.length, SOUNDS.settled.length);
});

test("audio runs while a sound is heard, and not longer", async () => {
  const box = soundBox();
  await box.allowed();
  const context = FakeAudioContext.last;
  assert.equal(context.state, "suspended");
  await box.play("reset", 1);
  await box.play("pushed", 1);
  context.tones[0].end();
  assert.equal(context.state, "running");
  context.tones.at(-1).end();
  assert.equal(context.state, "suspended");
  await box.play("reset", 1);
  assert.equal(FakeAudioContext.last, context);
});

test("a sound is quiet, has its notes at their times, and rises and falls without a click", async () => {
  const box = soundBox();
  await box.play("person", 0.5);
  const { tones, currentTime } = FakeAudioContext.last;
  const begins = tones[0].from;
  assert.ok(begins > currentTime && begins < currentTime + 0.1, "soon, and not in the past");
  assert.deepEqual(
    tones.map(({ frequency, from, until }) => [frequency, from, until]),
    SOUNDS.person.map(([pitch, at, length]) => [pitch, begins + at, begins + at + length]),
  );
  for (const { next: level, from, until } of tones) {
    const peak = Math.max(...level.levels.map(([height]) => height));
    assert.ok(peak > 0 && peak <= 0.05, `${peak}`);
    assert.deepEqual([level.levels[0], level.levels.at(-1)[1]], [[0, from], until]);
    assert.ok(level.levels.at(-1)[0] < peak / 100);
    assert.equal(level.next, FakeAudioContext.last.destination);
  }
});

test("at no volume nothing is asked of the browser", async () => {
  FakeAudioContext.last = null;
  await soundBox().play("settled", 0);
  assert.equal(FakeAudioContext.last, null);
});

test("sounds are short, and differ in rhythm", () => {
  const all = Object.values(SOUNDS);
  for (const notes of all) {
    const end = Math.max(...notes.map(([, at, length]) => at + length));
    assert.ok(end < 1, "it is over before anybody speaks");
    assert.equal(notes.at(-1)[1] + notes.at(-1)[2], end, "the last note ends last");
  }
  assert.equal(new Set(all.map((notes) => notes.map(([, at]) => at).join())).size, all.length);
});
