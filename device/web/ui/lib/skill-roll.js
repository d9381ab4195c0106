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
 * The same tiles for another sheet, without counters that it lacks. Null if the rules need one of them.
 * @param {Tiles} tiles of the rules played
 * @param {Sheet} sheet
 * @param {Tapped} tapped
 * @returns {Tapped | null}
 */
export function tappedOn(tiles, sheet, tapped) {
  const kept = tiles.tiles.filter(
    ({ name, kind, choices, counter_kinds: kinds }) =>
      kind !== "counter" ||
      typeof tapped[name] !== "string" ||
      choices?.includes(String(tapped[name])) ||
      sheet.counters.some((one) => one.name === tapped[name] && kinds.includes(one.kind)),
  );
  if (tiles.tiles.some((tile) => !tile.optional && tapped[tile.name] !== undefined && !kept.includes(tile)))
    return null;
  return Object.fromEntries(kept.flatMap(({ name }) => (name in tapped ? [[name, tapped[name]]] : [])));
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
