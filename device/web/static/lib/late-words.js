// @ts-check
// Words that only parts of a page need which are loaded later: of counters, of changes of a sheet, of a die that was missed.

import { t } from "./texts.js";
import { diceOf, kindWords, plainWord } from "./words.js";

/** @import { Change, Snapshot } from "./types.js" */

// What sheets count, kind by kind.
const KINDS = ["attribute", "skill", "gear", "reliability", "hp", "stress", "grit", "luck", "fatigue", "power", "equipment", "resource", "xp"];

/**
 * Each kind that a person may add a counter of, with its name.
 * @returns {[kind: string, text: string][]}
 */
export function kindsOfCounters() {
  return KINDS.map((kind) => [kind, kindWords(kind)]);
}

/**
 * A change of a sheet in a few words, as in "Strength −1".
 * @param {Change} item
 */
export function changeWords(item) {
  const name = item.name ? plainWord(item.name) : kindWords(item.kind);
  if (item.to !== null && item.to !== undefined) return t("page.change.becomes", { name, value: item.to });
  if (item.by) return t("page.change.by", { name, by: `${item.by < 0 ? "−" : "+"}${Math.abs(item.by)}` });
  return item.text;
}

/**
 * The colour class of which the declared pool misses a die, where it is one class and no other.
 * @param {Snapshot} snapshot
 */
export function missingClass(snapshot) {
  const lying = diceOf(snapshot).map((die) => die.colour);
  const missing = Object.keys(snapshot.colours ?? {}).filter((name) => (snapshot.pool?.[name] ?? 0) > lying.filter((colour) => colour === name).length);
  return missing.length === 1 ? missing[0] : null;
}
