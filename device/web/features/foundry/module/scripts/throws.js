// @ts-check
// Snapshots of the tray, and which of them are new throws. Pure: no Foundry, no network.

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
    /**
     * @param {TrayState} snapshot
     * @returns {Throw | null}
     */
    hear(snapshot) {
      const { state, roll = null, dice = [], outcome, push, asked } = snapshot;
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
        owner: asked?.owner ?? null,
        label: asked?.label ?? null,
      };
    },
  };
}

/**
 * Assigns dice to the places of a roll. A place that names a class ("2d6[base]") takes a die of that class or role; a
 * place without a name takes any.
 * @param {(string | null)[]} places the name of each place, in the order in which they are filled
 * @param {Die[]} dice
 * @param {string[]} [roles] the roles that the rules played have
 * @returns {{ faces: number[] } | { wrong: "count" | "kinds" }}
 */
export function answered(places, dice, roles = []) {
  if (places.length !== dice.length) return { wrong: "count" };
  const rest = [...dice];
  const isOf = (/** @type {Die} */ die, /** @type {string} */ name) =>
    [die.role, die.colour].some((one) => one?.toLowerCase() === name);
  const known = new Set(dice.flatMap((die) => [die.role, die.colour]).map((one) => one?.toLowerCase()));
  const all = new Set([...known, ...roles]);
  // A name that is not a class of dice, such as a damage type, is ignored.
  const wanted = places.map((name) => (name !== null && all.has(name.toLowerCase()) ? name.toLowerCase() : null));
  /** @type {number[]} */
  const faces = Array(places.length);
  // Places with a class come first; the others take what is left.
  for (const isNamed of [true, false]) {
    for (const [index, name] of wanted.entries()) {
      if ((name !== null) !== isNamed) continue;
      const at = name === null ? 0 : rest.findIndex((die) => isOf(die, name));
      if (at < 0) return { wrong: "kinds" };
      faces[index] = /** @type {number} */ (rest.splice(at, 1)[0].value);
    }
  }
  return { faces };
}
