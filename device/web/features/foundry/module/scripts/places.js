// @ts-check
// What a place of a roll takes: how many sides, and which class of dice. Pure: no Foundry, no network.

/**
 * @typedef {object} Term one of a roll's terms of dice, as far as it is used here
 * @property {string} denomination
 * @property {number} faces
 * @property {string} [flavor]
 * @property {Function} constructor
 */
/**
 * A field of the window that waits for a die.
 * @typedef {object} Place
 * @property {string} denomination
 * @property {number} sides
 * @property {string[]} names the classes that it takes, the best first: the word in brackets, as in 2d6[base], then the
 *   kind of a game system's own die
 */

/** The sides of the dice that the tray reads. */
export const SIDES = [6, 8, 10, 12];

/** The roles of own dice by their `TYPE`, as the library of most Year Zero systems names them. */
const TYPES = /** @type {Record<string, string[]>} */ ({
  base: ["base"],
  skill: ["skill"],
  gear: ["gear"],
  // They have the colour of skill dice, and are negative where the tray's roll has such.
  neg: ["negative", "skill"],
  ammo: ["ammo"],
});

/** The same by system and denomination, for dice without a `TYPE`: 2db, 3ds, 1dg. */
const BASE_SKILL_GEAR = { b: "base", s: "skill", g: "gear" };
const LETTERS = /** @type {Record<string, Record<string, string>>} */ ({
  "mutant-year-zero": BASE_SKILL_GEAR,
  "forbidden-lands": { ...BASE_SKILL_GEAR, n: "neg" },
  t2k4e: { a: "base", b: "base", c: "base", m: "ammo" },
});

/**
 * Whether a class of dice is a Year Zero system's own.
 * @param {any} kind
 * @param {string} system the id of the game system
 */
export const isOwn = (kind, system) =>
  typeof kind.TYPE === "string" || Boolean(LETTERS[system]?.[String(kind.DENOMINATION)]);

/** @param {Term} term @param {string} system @returns {Place} */
export function placeOf(term, system) {
  const { TYPE, DENOMINATION } = /** @type {any} */ (term.constructor);
  const roles = TYPES[TYPE ?? LETTERS[system]?.[String(DENOMINATION)]] ?? [];
  const flavor = term.flavor?.trim().toLowerCase();
  return { denomination: term.denomination, sides: term.faces, names: flavor ? [flavor, ...roles] : roles };
}
