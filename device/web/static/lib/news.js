// @ts-check
// What of the tray's states is news: which sound stands for it, and in which words. A page that is opened, a state that is sent
// twice and a correction that changes what lies there already are none.

import { diceOf, isPlayedWrong, numberOf, problemsOf, problemTitle } from "./words.js";

/** @import { Snapshot, SoundName } from "./types.js" */

/** @typedef {{ sound: SoundName, words: string }} News */
/**
 * What has been heard, or need not be.
 * @typedef {object} Known
 * @property {string} result which result was seen last: its roll, whether it was pushed, the throws of an exploding die
 * @property {string[]} worries what a person is asked for
 * @property {boolean} isPushing whether dice of a push are still to be thrown
 * @property {boolean} isInPlay whether a roll lies in the tray
 */

/** @param {Snapshot} snapshot */
const isResult = ({ state, outcome }) => (state === "scored" || state === "resolved") && Boolean(outcome);

/**
 * Each thing that keeps the tray from going on by itself.
 * @param {Snapshot} snapshot
 */
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
 * What is known once a snapshot was seen.
 * @param {Known | null} known null where none was seen before
 * @param {Snapshot} snapshot
 * @returns {Known}
 */
export function seen(known, snapshot) {
  const { state } = snapshot;
  // A hand, dice that roll and a fault come and go over whatever lies there.
  const isPassing = state === "rolling" || state === "fault";
  return {
    result: isResult(snapshot) ? resultOf(snapshot) : (known?.result ?? ""),
    worries: worriesOf(snapshot),
    isPushing: state === "awaiting_push" || (Boolean(known?.isPushing) && (isPassing || state === "unclear")),
    isInPlay: isPassing ? Boolean(known?.isInPlay) : state !== "empty",
  };
}

/**
 * @param {Snapshot} snapshot
 * @returns {SoundName}
 */
function resultSound({ state, presses }) {
  if (state === "resolved") return "pushed";
  return presses.push.allowed ? "pushable" : "settled";
}

/**
 * What a snapshot brings that is worth a sound.
 * @param {Known} known
 * @param {Snapshot} snapshot
 * @returns {News | null}
 */
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

/**
 * One utterance of several texts: each ends like a sentence, and what another one says already is left out.
 * @param {string[]} texts
 */
function utterance(texts) {
  const said = texts.filter(Boolean);
  /** @param {string} text */
  const plain = (text) => text.toLowerCase().replace(/[.!?…]$/, "");
  const own = said.filter(
    (text, index) =>
      !said.some(
        (other, at) =>
          at !== index && plain(other).includes(plain(text)) && (plain(other) !== plain(text) || at < index),
      ),
  );
  return own.map((text) => (/[.!?…:]$/.test(text) ? text : `${text}.`)).join(" ");
}

/**
 * A result as the page's live region has it.
 * @param {Snapshot} snapshot
 */
function resultWords(snapshot) {
  const { outcome } = snapshot;
  if (!outcome) return "";
  const [value, word] = numberOf(outcome);
  // That there is no success at all stands in the headline.
  const number = value === 0 && outcome.success === false ? "" : `${value} ${word}`.trim();
  // What is to be done next is said where the roll is not over yet.
  const told = [snapshot.display.title, ...(snapshot.awaiting ? [snapshot.display.lead] : [])];
  return utterance([number, ...told, ...(snapshot.lines ?? []).map(({ text }) => text)]);
}

/**
 * What a person is asked for, as the headline and the lines under it say it.
 * @param {Snapshot} snapshot
 */
function worryWords(snapshot) {
  const { state } = snapshot;
  const told = ["unclear", "awaiting_push", "fault"].includes(state)
    ? [snapshot.display.title, snapshot.display.lead]
    : [];
  const problems =
    state === "fault" ? [] : problemsOf(snapshot).flatMap(({ code, text }) => [problemTitle(code), text]);
  // Whoever only listens sees nothing below.
  return utterance([...told, ...problems]);
}
