// @ts-check
// When a display is idle, and what it shows then: last rolls, next player, its place on the screen.

import { t } from "../../../ui/lib/texts.js";
import { headlineWord } from "../../../ui/lib/words.js";

/** @import { HistoryRow, Snapshot } from "../../../ui/lib/types.js" */

const MAX_MIN = 240;
const KEPT = "idle";
/** Offsets of the page in shares of the space around it, different every minute. */
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
 * Minutes without a touch before an empty tray shows the idle screen, from a URL such as `/?idle=10`; 0: never, null: not
 * in the URL, so the tray's settings apply. A display may leave and return by its bare URL, so its browser keeps the
 * number until it is closed.
 * @param {string} search
 * @param {() => Pick<Storage, "getItem" | "setItem">} storage
 * @returns {number | null}
 */
export function idleMinutes(search, storage) {
  const given = new URLSearchParams(search).get("idle");
  /** @param {string | null} text */
  const read = (text) => (text !== null && /^\d+([.]\d+)?$/.test(text) ? Math.min(Number(text), MAX_MIN) : null);
  try {
    if (read(given) !== null) storage().setItem(KEPT, String(given));
    return read(given) ?? read(storage().getItem(KEPT));
  } catch {
    return read(given); // Storage is off: the number holds for this page alone.
  }
}

/**
 * A key that wakes a display when it changes: the tray and requested rolls, but not clocks, sheets and pictures.
 * @param {Snapshot} snapshot
 */
export function stirring({
  state,
  hand_in_view: hand,
  roll,
  asked: request,
  asked_next: next,
  fault,
  problems,
  dice = [],
}) {
  return JSON.stringify([
    state,
    Boolean(hand),
    roll ?? null,
    request?.id ?? null,
    (next ?? []).map(({ id }) => id),
    fault?.part ?? null,
    problems ?? [],
    dice.length,
  ]);
}

/** Whether nothing is going on: no dice, no hand, no fault, no problem. @param {Snapshot | undefined} snapshot */
export function isAtRest(snapshot) {
  return snapshot?.state === "empty" && !snapshot.hand_in_view && !snapshot.problems?.length && !snapshot.dice?.length;
}

/**
 * One earlier roll as text: player, purpose and result. A hidden one is only mentioned.
 * @param {HistoryRow} row
 * @returns {[what: string, result: string]}
 */
export function rollWords({ owner, label, outcome, hidden }) {
  const what = [owner, label].filter(Boolean).join(" · ") || t("page.idle.a_roll");
  if (hidden && !outcome) return [what, t("page.idle.hidden")];
  const told = outcome?.headline;
  return [what, told ? `${told.value} ${headlineWord(told)}` : "–"];
}

/** The page's place on the screen at a minute, so that no pixel shows the same for long. @param {number} minute */
export const placeAt = (minute) => PLACES[minute % PLACES.length];
