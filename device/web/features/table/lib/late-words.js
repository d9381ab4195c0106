// @ts-check
// Helpers of parts that are loaded later.

import { diceOf } from "../../../ui/lib/words.js";

/** @import { Snapshot } from "../../../ui/lib/types.js" */

/**
 * The colour class of which the declared pool lacks a die, if it is the only one.
 * @param {Snapshot} snapshot
 */
export function missingClass(snapshot) {
  const lying = diceOf(snapshot).map((die) => die.colour);
  const missing = Object.keys(snapshot.colours ?? {}).filter(
    (name) => (snapshot.pool?.[name] ?? 0) > lying.filter((colour) => colour === name).length,
  );
  return missing.length === 1 ? missing[0] : null;
}
