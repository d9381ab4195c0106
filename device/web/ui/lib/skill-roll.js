// @ts-check
// A roll by tapping a skill on a sheet: its tiles and its name.

import { plainWord } from "./words.js";

/** @import { Counter, Sheet, Tiles, Value } from "./types.js" */
/** @typedef {Record<string, Value>} Tapped */

const BY_NAME = ["attribute", "skill"];

/**
 * The tiles of a tap on a counter: a skill comes with its attribute, and with the gear if there is only one. Null if the
 * rules have no roll for it.
 * @param {Tiles | null} tiles of the rules played
 * @param {Sheet} sheet
 * @param {Counter} counter
 * @returns {Tapped | null}
 */
export function tappedFor(tiles, sheet, { kind, name }) {
  if (tiles?.system !== sheet.system || !BY_NAME.includes(kind)) return null;
  const own = tiles.tiles.find((tile) => tile.kind === "counter" && tile.counter_kinds.includes(kind));
  if (!own) return null;
  /** @type {Tapped} */
  const tapped = { [own.name]: name };
  for (const tile of tiles.tiles) {
    if (tile === own || tile.kind !== "counter") continue;
    const there = sheet.counters.filter((one) => tile.counter_kinds.includes(one.kind) && one.now > 0);
    const [only] = there;
    const paired = there.find((one) => one.name === tiles.goes_with?.[name]);
    if (paired) tapped[tile.name] = paired.name;
    else if (kind === "skill" && tile.counter_kinds.includes("gear") && there.length === 1)
      tapped[tile.name] = only.name;
  }
  return tapped;
}

/**
 * The name of a roll by its counters, as in "Strength + Fight".
 * @param {Tiles | null} tiles
 * @param {Tapped} tapped
 */
export function rollName(tiles, tapped) {
  const names = (tiles?.tiles ?? []).flatMap((tile) =>
    tile.kind === "counter" &&
    typeof tapped[tile.name] === "string" &&
    !tile.choices?.includes(String(tapped[tile.name]))
      ? [plainWord(String(tapped[tile.name]))]
      : [],
  );
  return names.join(" + ").slice(0, 80);
}
