import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { reader } from "../../../../device/web/ui/lib/speech.js";

class FakeSynthesis extends EventTarget {
  voices = [];
  did = [];
  getVoices() {
    return this.voices;
  }
  cancel() {
    this.did.push("cancel");
  }
  speak({ text, lang, volume, voice }) {
    this.did.push([text, lang, volume, voice.name]);
  }
}
globalThis.SpeechSynthesisUtterance = class {
  constructor(text) {
    this.text = text;
  }
};
const voice = (name, lang, more = {}) => ({ name, lang, localService: true, default: false, ...more });

test("a text is said by the browser's own voice of the language, and ends what was being said", () => {
  const synthesis = (globalThis.speechSynthesis = new FakeSynthesis());
  synthesis.voices = [
    voice("away", "de-DE", { localService: false }),
    voice("other", "en-GB", { default: true }),
    voice("own", "de_AT"),
    voice("second", "de-DE"),
  ];
  const read = reader("de", () => {});
  assert.equal(read.isAble, true);
  read.say("Kein Erfolg.", 0.5);
  assert.deepEqual(synthesis.did, ["cancel", ["Kein Erfolg.", "de_AT", 0.5, "own"]]);
  synthesis.voices.push(voice("chosen", "de-DE", { default: true }));
  read.say("Erfolg.", 1);
  assert.equal(synthesis.did.at(-1)[3], "chosen");
  read.hush();
  assert.equal(synthesis.did.at(-1), "cancel");
});

test("a voice that sends the text away is none, and without one nothing is said", () => {
  const synthesis = (globalThis.speechSynthesis = new FakeSynthesis());
  synthesis.voices = [voice("away", "en-US", { localService: false }), voice("other", "de-DE")];
  const read = reader("en", () => {});
  read.say("Success.", 1);
  assert.deepEqual([read.isAble, synthesis.did], [false, []]);
});

test("voices that are found late are told of", () => {
  const synthesis = (globalThis.speechSynthesis = new FakeSynthesis());
  let isKnown = 0;
  const read = reader("en", () => (isKnown += 1));
  assert.equal(read.isAble, false);
  synthesis.voices = [voice("own", "en")];
  synthesis.dispatchEvent(new Event("voiceschanged"));
  assert.deepEqual([isKnown, read.isAble], [1, true]);
});

test("a browser that cannot speak has no voice", () => {
  delete globalThis.speechSynthesis;
  const read = reader("en", () => {});
  read.say("Success.", 1);
  read.hush();
  assert.equal(read.isAble, false);
});
