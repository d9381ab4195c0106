// @ts-check
// Dice to pick up, by colour; their role comes second.

import { maybe, t } from "./texts.js";
import { capital, ruleWord } from "./words.js";

/** @import { Colours, Counts, Level, Taken } from "./types.js" */

// Dice of one colour are both: negative where only negative ones are declared.
/** @type {Record<string, string>} */
const TWIN = { skill: "negative", negative: "skill" };

/**
 * The colour class that plays a role, if it is the only one.
 * @param {string} role
 * @param {Record<string, string | null>} roles what each class plays
 */
export function classOf(role, roles) {
  /** @param {string} played */
  const playing = (played) => Object.keys(roles).filter((label) => roles[label] === played);
  const found = playing(role);
  const classes = found.length || !(role in TWIN) ? found : playing(TWIN[role]);
  return classes.length === 1 ? classes[0] : null;
}

/**
 * Dice of one kind, as in "3 yellow"; by role if any colour will do; manual dice by their sides.
 * @param {Taken} taken
 * @param {Colours} [colours]
 */
export function takenWords({ count, colour, role, sides }, colours) {
  if (sides !== undefined) return t("page.turn.of", { count, what: `d${sides}` });
  const body = colour === null ? undefined : colours?.[colour];
  if (body !== undefined) return t("page.turn.of", { count, what: ruleWord(body) });
  return t("page.turn.of", { count, what: maybe(`dice.${role}`, { count }) ?? ruleWord(role) });
}

/**
 * The name of a role's dice: their colour with the role, or the role alone.
 * @param {string} role
 * @param {string | null} label the colour class
 * @param {Colours} [colours]
 */
export function kindOfDice(role, label, colours) {
  const body = label === null ? undefined : colours?.[label];
  const what = maybe(`dice.${role}`, { count: 2 }) ?? ruleWord(role);
  return capital(body === undefined ? what : t("page.turn.kind", { colour: ruleWord(body), role: ruleWord(role) }));
}

/**
 * The tray's counts of dice to pick up, in their order.
 * @param {Counts} counts
 * @param {Record<string, string | null>} roles
 * @param {Counts} levels of step dice
 * @param {Level[]} known the levels that there are
 * @returns {Taken[]}
 */
export function taken(counts, roles, levels = {}, known = []) {
  const read = Object.entries(counts).flatMap(([role, count]) =>
    count > 0 ? [{ role, colour: classOf(role, roles), count }] : [],
  );
  const typed = known.flatMap(({ level, sides }) =>
    levels[level] > 0 ? [{ role: "base", colour: null, count: levels[level], sides }] : [],
  );
  return [...read, ...typed];
}
