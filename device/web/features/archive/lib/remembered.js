// @ts-check
// The archive for pages: searches as URLs, times as text, series for plots.

import { dayWords, timeWords } from "../../../ui/lib/moments.js";

/** @import { Evening, RollSummary } from "../../../ui/lib/types.js" */

/** The search fields in order. */
export const FIELDS = ["player", "label", "text", "from", "to", "system"];

/**
 * The query string of a search with its question mark; empty if there is none.
 * @param {Record<string, string | number | null | undefined>} search
 */
export function queryOf(search) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== null && value !== undefined && String(value).trim() !== "") query.set(name, String(value).trim());
  return query.size > 0 ? `?${query}` : "";
}

/** An evening in one line: name or day, time, players. @param {Evening} evening */
export function eveningWords(evening) {
  const day = dayWords(evening.begun);
  const when = `${timeWords(evening.begun)}–${timeWords(evening.ended)}`;
  return [...(evening.name ? [evening.name] : []), day, when, evening.players.join(", ")].filter(Boolean).join(" · ");
}

/** The dice that a throw moved, or all of them if unknown. @param {RollSummary["throws"][number]} thrown */
export function movedDice(thrown) {
  const ids = thrown.thrown;
  return ids === null ? thrown.dice : thrown.dice.filter((die) => ids.includes(die.id));
}

/**
 * Series of different lengths as columns for a plot, all starting at roll 0.
 * @param {number[][]} courses
 * @returns {(number | null)[][]}
 */
export function coursesAsColumns(courses) {
  const longest = Math.max(0, ...courses.map((one) => one.length));
  const rolls = Array.from({ length: longest + 1 }, (_, place) => place);
  return [rolls, ...courses.map((one) => rolls.map((place) => (place === 0 ? 0 : (one[place - 1] ?? null))))];
}
