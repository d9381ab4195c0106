// @ts-check
// Texts of the page from a snapshot: which text of the catalogue, with which values.

import { maybe, t } from "./texts.js";

/** @import { Die, Outcome, Problem, Snapshot } from "./types.js" */

/** @param {Snapshot} snapshot */
export function stateWords(snapshot) {
  const { state, next } = snapshot;
  const shown = isWaiting(snapshot) ? "waiting" : next?.code === "clearing" ? "moving" : state;
  return maybe(`page.state.${shown}`) ?? state;
}

const OF_POOL = new Set(["wrong_dice_count", "wrong_role_count"]);

/** A problem's label. @param {string} code */
export const problemTitle = (code) => maybe(`page.problem.${code}`) ?? capital(String(code).replaceAll("_", " "));

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} kind */
export const kindWords = (kind) => maybe(`page.kind.${kind}`) ?? plainWord(kind);

/** The part of a key for a word of the rules. @param {string} name */
export function wordKey(name) {
  return String(name)
    .replace(/[^\p{L}\p{N}_-]+/gu, "_")
    .toLowerCase();
}

/** A name of the rules as text inside a sentence; people's own names stay as they are. @param {string} name */
export const ruleWord = (name) => maybe(`word.${wordKey(name)}`) ?? String(name).replaceAll("_", " ");

/** The same on its own: "hidden_camp" becomes "Hidden camp". @param {string} name */
export const plainWord = (name) => capital(ruleWord(name));

/**
 * A die's role, or its colour class if it has none. A normal die needs no word.
 * @param {Pick<Die, "role" | "colour">} die
 */
export function classWords({ role, colour }) {
  const name = role ?? colour;
  if (!name) return t("page.chip.colour");
  return name === "plain" ? "" : ruleWord(name);
}

/** What a face shows: its number, "blank", or "?" if it is unknown. @param {number | null | undefined} value */
export const faceWord = (value) => (value === 0 ? t("word.blank") : String(value ?? "?"));

/** The same where there is room for one character. @param {number | null | undefined} value */
export const faceSign = (value) => (value === 0 ? "–" : String(value ?? "?"));

/** A die's name with its value, inside a sentence. @param {Die} die */
function dieName(die) {
  const what = !die.colour
    ? t("page.die.unknown")
    : (maybe(`dice.${die.colour}`, { count: 1 }) ?? t("page.die.of", { colour: die.colour }));
  return typeof die.value === "number" ? t("page.die.showing", { die: what, value: faceWord(die.value) }) : what;
}

/** @param {Die} die */
export const dieWords = (die) => capital(dieName(die));

/** @param {Die} die */
export const unreadWords = (die) => maybe(`page.unread.${die.unread}`) ?? String(die.unread ?? "").replaceAll("_", " ");

/** @param {Pick<Snapshot, "dice">} snapshot */
export const diceOf = (snapshot) => snapshot.dice ?? [];

const PLAYED_WRONG = ["wrong_dice_count", "wrong_role_count", "locked_die_changed", "must_reroll_not_rolled"];
/**
 * Whether the problems of a push are about wrong dice being picked up or thrown.
 * @param {readonly string[]} problems
 */
export const isPlayedWrong = (problems) => problems.some((problem) => PLAYED_WRONG.includes(problem));

/** The dice to reroll, including those in the hand. @param {Pick<Snapshot, "dice">} snapshot */
export const toReroll = (snapshot) => diceOf(snapshot).filter((die) => die.must_reroll && die.ask !== "stay");

/**
 * Whether the only problem is that the dice differ from the declared ones; in a push from those of the first throw.
 * @param {Snapshot} snapshot
 */
export function isOfPool(snapshot) {
  const { state, pool, presses, problems = [] } = snapshot;
  return (
    state === "unclear" &&
    pool !== null &&
    presses.push.reason !== "already_pushed" &&
    problems.some((code) => OF_POOL.has(code))
  );
}

/** Whether the headline names who rolls now; a problem comes first. @param {Snapshot} snapshot */
export function isTurnHeadline({ state, problems, asked: request, prepared }) {
  return state === "empty" && !problems?.length && Boolean(request || prepared);
}

/**
 * Problems other than unread dice, which the headline names and marks show one by one. In a fault there are none.
 * @param {Snapshot} snapshot
 * @returns {Problem[]}
 */
export function problemsOf(snapshot) {
  const codes = isWaiting(snapshot) || snapshot.state === "fault" ? [] : (snapshot.problems ?? []);
  const details = (snapshot.problem_details ?? []).filter(({ code }) => codes.includes(code));
  const told = new Set(details.map(({ code }) => code));
  return [...details, ...codes.filter((code) => !told.has(code)).map((code) => ({ code, text: "", dice: [] }))];
}

/** The result, unless a problem has taken over. @param {Snapshot} snapshot */
export const shownOutcome = (snapshot) =>
  snapshot.state === "fault" || problemsOf(snapshot).length ? null : snapshot.outcome;

/** The word next to the large number. @param {{ value: any, word: string }} headline */
export const headlineWord = ({ value, word }) => maybe(`page.counts.${wordKey(word)}`, { count: value }) ?? word;

/**
 * The large number and the word next to it.
 * @param {Outcome} outcome
 * @returns {[value: number | string, word: string]}
 */
export function numberOf({ headline: told, successes = "" }) {
  return [told?.value ?? successes, told ? headlineWord(told) : ""];
}

/** Whether the tray waits for something that the rules require, so nothing is wrong. @param {Snapshot} snapshot */
export const isWaiting = ({ state, next }) => state === "unclear" && next !== undefined && !next.wrong;
