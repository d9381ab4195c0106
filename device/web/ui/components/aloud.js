// @ts-check
// Sounds and speech of this page: the browser's choice, its permission, and playback. Loaded when switched on.

import { byId } from "../lib/dom.js";
import { keep, kept } from "../lib/kept.js";
import { newsOf, seen } from "../lib/news.js";
import { soundBox } from "../lib/sounds.js";
import { reader } from "../lib/speech.js";
import { language, t } from "../lib/texts.js";
import { say } from "./page.js";

/** @import { Known } from "../lib/news.js" */
/** @import { Snapshot } from "../lib/types.js" */

const GESTURES = ["pointerup", "click", "keydown"];
// By then a browser that allows sound has done so and has found its voices.
const PATIENCE_MS = 700;

const sounds = byId("sounds", HTMLInputElement);
const speech = byId("speech", HTMLInputElement);
const volume = byId("volume", HTMLInputElement);
const box = soundBox();
const voice = reader(language, () => {
  note();
  greet();
});

/** @type {Known | null} */
let known = null;
let isBlocked = false;
let isSettled = false;
let isToGreet = false;

const loudness = () => Number(volume.value) / 100;

const chosen = kept("aloud")?.split(" ") ?? [];
// A box ticked while this was loading is newer than the stored choice.
sounds.checked ||= chosen.includes("sounds");
speech.checked ||= chosen.includes("speech");
volume.value = kept("volume") ?? volume.value;

function note() {
  byId("volume-field").hidden = !sounds.checked && !speech.checked;
  const isMute = speech.checked && isSettled && !voice.isAble;
  const text = isBlocked ? t("page.sound.blocked") : isMute ? t("page.sound.no_voice") : "";
  const node = byId("aloud-note");
  if (node.textContent !== text) node.textContent = text;
}

// Switching speech on plays a sample as soon as the browser has found a voice.
function greet() {
  if (!isToGreet || !voice.isAble) return;
  isToGreet = false;
  voice.say(t("page.sound.speech"), loudness());
}

let isAsking = false;
function ask() {
  if (isAsking) return;
  isAsking = true;
  let isHeard = false;
  const open = () => {
    isHeard = true;
    isBlocked = false;
    for (const gesture of GESTURES) removeEventListener(gesture, touched, true);
    note();
  };
  const touched = () => {
    open();
    box.allowed();
  };
  for (const gesture of GESTURES) addEventListener(gesture, touched, true);
  box.allowed().then(open);
  setTimeout(() => {
    isSettled = true;
    isBlocked = !isHeard;
    if (isBlocked) say(t("page.sound.blocked"));
    note();
  }, PATIENCE_MS);
}

/** Stores the choice made in the window, and plays a sample. @param {EventTarget | null} target what was switched */
export function choose(target) {
  const on = [sounds, speech].filter((one) => one.checked).map((one) => one.id);
  keep("aloud", on.join(" "));
  keep("volume", volume.value);
  ask();
  note();
  if (!speech.checked) voice.hush();
  isToGreet = target === speech && speech.checked;
  greet();
  if (sounds.checked && target !== speech) box.play("settled", loudness());
}

/**
 * Plays and speaks what is new in a snapshot.
 * @param {Snapshot} snapshot
 * @param {boolean} isFirst whether it is the first of a connection: what lies there lay there before
 */
export function hear(snapshot, isFirst) {
  const news = known && !isFirst ? newsOf(known, snapshot) : null;
  known = seen(known, snapshot);
  if (!news || document.hidden || isBlocked) return;
  if (sounds.checked) box.play(news.sound, loudness());
  if (!speech.checked) return;
  if (news.words) voice.say(news.words, loudness());
  else voice.hush();
}

document.addEventListener("visibilitychange", () => document.hidden && voice.hush());
if (sounds.checked || speech.checked) ask();
note();
