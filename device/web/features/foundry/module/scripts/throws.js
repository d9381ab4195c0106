// @ts-check
// Snapshots of the tray, and which of them are new throws. Pure: no Foundry, no network.

/** @import { Place } from "./places.js" */
/** @typedef {{ id: number, colour: string | null, role?: string | null, value: number | null, sides?: number }} Die */
/**
 * The parts of the tray's state used here.
 * @typedef {object} TrayState
 * @property {number} version
 * @property {string} state
 * @property {number | null} [roll]
 * @property {Die[]} [dice]
 * @property {{ headline?: { value: number | string, word: string } } | null} outcome
 * @property {{ must_reroll?: number[] }} [push]
 * @property {string[]} [pool_roles]
 * @property {{ owner: string | null, label: string | null } | null} [asked]
 */
/**
 * Dice that were thrown.
 * @typedef {object} Throw
 * @property {Die[]} dice those that were in the hand: after a push the ones that were thrown again
 * @property {Die[]} lying all that lie there
 * @property {string[]} roles those that the rules played have
 * @property {boolean} isPush
 * @property {{ value: number | string, word: string } | null} headline what the tray's rules say of it
 * @property {string | null} owner whose roll it is, where the tray was snapshot
 * @property {string | null} label what for
 */

/**
 * Detects throws. A throw counts once: with its first result, not when corrected, and not when a page connects to a tray
 * that already has one.
 */
export function throwWatch() {
  /** @type {string | null} */
  let seen = null;
  let isFirst = true;
  /** @type {number[]} */
  let toReroll = [];

  return {
    /** The connection was lost: dice there on reconnection were thrown meanwhile, for an unknown player. */
    again() {
      isFirst = true;
    },
    /** @param {TrayState} snapshot @returns {Throw | null} */
    hear(snapshot) {
      const { state, roll = null, dice = [], outcome, push, asked: request } = snapshot;
      const isPush = state === "resolved";
      const isResult = (state === "scored" || isPush) && Boolean(outcome);
      const key = isResult ? `${roll}/${isPush ? "push" : "first"}` : seen;
      const isNew = isResult && key !== seen && !isFirst;
      const thrown = isPush ? dice.filter((die) => toReroll.includes(die.id)) : dice;
      if (!isPush && outcome) toReroll = push?.must_reroll ?? [];
      seen = key;
      isFirst = false;
      if (!isNew || !thrown.length || thrown.some((die) => die.value === null)) return null;
      return {
        dice: thrown,
        lying: dice,
        roles: snapshot.pool_roles ?? [],
        isPush,
        headline: outcome?.headline ?? null,
        owner: request?.owner ?? null,
        label: request?.label ?? null,
      };
    },
  };
}

/**
 * Assigns dice to the places of a roll: each takes a die with its sides, and of the first of its classes that lies there
 * or that the rules have. A name that is no class of dice, such as a damage type, is ignored.
 * @param {Place[]} places in the order in which they are filled
 * @param {Die[]} dice
 * @param {string[]} [roles] the roles that the rules played have
 * @returns {{ faces: number[] } | { wrong: "count" | "kinds" }}
 */
export function answered(places, dice, roles = []) {
  if (places.length !== dice.length) return { wrong: "count" };
  const rest = [...dice];
  const classesOf = (/** @type {Die} */ { role, colour }) => [role, colour].map((one) => one?.toLowerCase());
  const lying = dice.flatMap(classesOf);
  const wanted = places.map(({ sides, names }) => ({
    sides,
    name: names.find((name) => lying.includes(name)) ?? names.find((name) => roles.includes(name)),
  }));
  /** @type {number[]} */
  const faces = Array(places.length);
  // Places with a class come first; the others take what is left.
  for (const isNamed of [true, false]) {
    for (const [index, { sides, name }] of wanted.entries()) {
      if ((name !== undefined) !== isNamed) continue;
      const at = rest.findIndex(
        (die) => (die.sides ?? 6) === sides && (name === undefined || classesOf(die).includes(name)),
      );
      if (at < 0) return { wrong: "kinds" };
      faces[index] = /** @type {number} */ (rest.splice(at, 1)[0].value);
    }
  }
  return { faces };
}
