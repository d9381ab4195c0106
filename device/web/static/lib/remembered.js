// @ts-check
// What the tray remembers, as pages ask for it and say it: searches as addresses, moments as words, series for plots.

import { dayWords, timeWords } from "./moments.js";

/** @import { Evening, RollSummary } from "./types.js" */

/** What may be searched for, in the order of the fields. */
export const FIELDS = ["player", "label", "text", "from", "to", "system"];

/**
 * The query of an address for what is looked for, with its question mark; nothing where nothing is.
 * @param {Record<string, string | number | null | undefined>} search
 */
export function queryOf(search) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== null && value !== undefined && String(value).trim() !== "") query.set(name, String(value).trim());
  return query.size > 0 ? `?${query}` : "";
}

/**
 * An evening in one line: its name or day, when, and who.
 * @param {Evening} evening
 */
export function eveningWords(evening) {
  const day = dayWords(evening.begun);
  const when = `${timeWords(evening.begun)}–${timeWords(evening.ended)}`;
  return [...(evening.name ? [evening.name] : []), day, when, evening.players.join(", ")].filter(Boolean).join(" · ");
}

/**
 * The dice of a throw that it moved, or all of them where nobody knows.
 * @param {RollSummary["throws"][number]} thrown
 */
export function movedDice(thrown) {
  const ids = thrown.thrown;
  return ids === null ? thrown.dice : thrown.dice.filter((die) => ids.includes(die.id));
}

/**
 * Courses of different lengths as columns for a plot: roll 0 is where everybody begins.
 * @param {number[][]} courses
 * @returns {(number | null)[][]}
 */
export function coursesAsColumns(courses) {
  const longest = Math.max(0, ...courses.map((one) => one.length));
  const rolls = Array.from({ length: longest + 1 }, (_, place) => place);
  return [rolls, ...courses.map((one) => rolls.map((place) => (place === 0 ? 0 : (one[place - 1] ?? null))))];
}
