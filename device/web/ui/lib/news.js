// @ts-check
// What is new in a state: its sound and its text. Opening a page, a repeated state and a correction of dice that are
// already there are not news.

import { diceOf, isPlayedWrong, numberOf, problemsOf } from "./words.js";

/** @import { Snapshot, SoundName } from "./types.js" */

/** @typedef {{ sound: SoundName, words: string }} News */
/**
 * What has been announced or need not be.
 * @typedef {object} Known
 * @property {string} result which result was seen last: its roll, whether it was pushed, the throws of an exploding die
 * @property {string[]} worries what a person is asked for
 * @property {boolean} isPushing whether dice of a push are still to be thrown
 * @property {boolean} isInPlay whether a roll lies in the tray
 */

/** @param {Snapshot} snapshot */
const isResult = ({ state, outcome }) => (state === "scored" || state === "resolved") && Boolean(outcome);

/** Everything that keeps the tray from continuing. @param {Snapshot} snapshot */
function worriesOf(snapshot) {
  const { state, fault, problems = [] } = snapshot;
  if (state === "fault") return [`fault:${fault?.part}`];
  if (state !== "unclear") return problems;
  const unread = diceOf(snapshot).filter((die) => die.ask === "unread");
  return [...problems, ...unread.map(({ id }) => `die:${id}`), ...(problems.length || unread.length ? [] : [state])];
}

/** @param {Snapshot} snapshot */
function resultOf({ state, roll, dice = [] }) {
  const throws = dice.reduce((sum, { earlier = [] }) => sum + earlier.length, 0);
  return `${roll} ${state} ${throws}`;
}

/**
 * The memory after a snapshot.
 * @param {Known | null} known null where none was seen before
 * @param {Snapshot} snapshot
 * @returns {Known}
 */
export function seen(known, snapshot) {
  const { state } = snapshot;
  // Hands, rolling dice and faults come and go while dice lie there.
  const isPassing = state === "rolling" || state === "fault";
  return {
    result: isResult(snapshot) ? resultOf(snapshot) : (known?.result ?? ""),
    worries: worriesOf(snapshot),
    isPushing: state === "awaiting_push" || (Boolean(known?.isPushing) && (isPassing || state === "unclear")),
    isInPlay: isPassing ? Boolean(known?.isInPlay) : state !== "empty",
  };
}

/** @param {Snapshot} snapshot @returns {SoundName} */
function resultSound({ state, presses }) {
  if (state === "resolved") return "pushed";
  return presses.push.allowed ? "pushable" : "settled";
}

/** What a snapshot has that is worth a sound. @param {Known} known @param {Snapshot} snapshot @returns {News | null} */
export function newsOf(known, snapshot) {
  const worries = worriesOf(snapshot).filter((worry) => !known.worries.includes(worry));
  if (worries.length) {
    const isWrong = snapshot.state === "awaiting_push" && isPlayedWrong(worries);
    return { sound: isWrong ? "wrong" : "person", words: worryWords(snapshot) };
  }
  if (isResult(snapshot)) {
    const isPushed = snapshot.state === "resolved";
    if (resultOf(snapshot) === known.result && !(isPushed && known.isPushing)) return null;
    return { sound: resultSound(snapshot), words: resultWords(snapshot) };
  }
  return snapshot.state === "empty" && known.isInPlay ? { sound: "reset", words: "" } : null;
}

/** Joins texts into one utterance: each ends like a sentence, repeated ones are left out. @param {string[]} texts */
function utterance(texts) {
  const spoken = texts.filter(Boolean);
  /** @param {string} text */
  const plain = (text) => text.toLowerCase().replace(/[.!?…]$/, "");
  const own = spoken.filter(
    (text, index) =>
      !spoken.some(
        (other, at) =>
          at !== index && plain(other).includes(plain(text)) && (plain(other) !== plain(text) || at < index),
      ),
  );
  return own.map((text) => (/[.!?…:]$/.test(text) ? text : `${text}.`)).join(" ");
}

/** A result for the page's live region. @param {Snapshot} snapshot */
function resultWords(snapshot) {
  const { outcome } = snapshot;
  if (!outcome) return "";
  const [value, word] = numberOf(outcome);
  // The headline already says that there is no success.
  const number = value === 0 && outcome.success === false ? "" : `${value} ${word}`.trim();
  return utterance([number, snapshot.display.title, ...(snapshot.lines ?? []).map(({ text }) => text)]);
}

/** What a person has to do, as in the headline and the lines under it. @param {Snapshot} snapshot */
function worryWords(snapshot) {
  const { title, lead } = snapshot.display;
  return utterance([title, lead, ...problemsOf(snapshot).map(({ text }) => text)]);
}
