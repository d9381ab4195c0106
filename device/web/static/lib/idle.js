// @ts-check
// When a display has nothing to do, and what it shows then: the last rolls, who is next, where it stands on the screen.

import { t } from "./texts.js";
import { headlineWord } from "./words.js";

/** @import { HistoryRow, Snapshot } from "./types.js" */

const MOST_MIN = 240;
const KEPT = "idle";
/** How far a page on the screen is moved, in shares of the room around it: nowhere two minutes in a row. */
const PLACES = /** @type {const} */ ([
  [0.5, 0.5],
  [0, 0],
  [1, 1],
  [0, 1],
  [1, 0],
  [0.5, 0],
  [0.5, 1],
  [0, 0.5],
  [1, 0.5],
]);

/**
 * After how many minutes without a touch an empty tray shows the idle screen by an address such as `/?idle=10`; 0: never,
 * null: the address says nothing, and the tray's settings hold. A display goes on to other pages and comes back by its
 * bare address, so its browser keeps the number until it is closed.
 * @param {string} search
 * @param {() => Pick<Storage, "getItem" | "setItem">} storage
 * @returns {number | null}
 */
export function idleMinutes(search, storage) {
  const asked = new URLSearchParams(search).get("idle");
  /** @param {string | null} text */
  const read = (text) => (text !== null && /^\d+([.]\d+)?$/.test(text) ? Math.min(Number(text), MOST_MIN) : null);
  try {
    if (read(asked) !== null) storage().setItem(KEPT, String(asked));
    return read(asked) ?? read(storage().getItem(KEPT));
  } catch {
    return read(asked); // Storage is off: the number holds for this page alone.
  }
}

/**
 * What wakes a display where it changes: the tray, and a roll that somebody asked for. Clocks, sheets and pictures do not.
 * @param {Snapshot} snapshot
 */
export function stirring({ state, hand_in_view: hand, roll, asked, asked_next: next, fault, problems, dice = [] }) {
  return JSON.stringify([
    state,
    Boolean(hand),
    roll ?? null,
    asked?.id ?? null,
    (next ?? []).map(({ id }) => id),
    fault?.part ?? null,
    problems ?? [],
    dice.length,
  ]);
}

/**
 * Whether nothing waits for anybody: no dice, no hand, no fault, nothing wrong.
 * @param {Snapshot | undefined} snapshot
 */
export function isAtRest(snapshot) {
  return snapshot?.state === "empty" && !snapshot.hand_in_view && !snapshot.problems?.length && !snapshot.dice?.length;
}

/**
 * One earlier roll in words: who and what for, and what it came to. Of a hidden one nothing is said but that it was.
 * @param {HistoryRow} row
 * @returns {[what: string, result: string]}
 */
export function rollWords({ owner, label, outcome, hidden }) {
  const what = [owner, label].filter(Boolean).join(" · ") || t("page.idle.a_roll");
  if (hidden && !outcome) return [what, t("page.idle.hidden")];
  const told = outcome?.headline;
  return [what, told ? `${told.value} ${headlineWord(told)}` : "–"];
}

/**
 * Where the page stands in the room around it in some minute, so that no pixel shows the same for long.
 * @param {number} minute
 */
export function placeAt(minute) {
  return PLACES[minute % PLACES.length];
}
