// @ts-check
// A roll by tapping a skill on a sheet: its tiles and its name.

import { plainWord } from "./words.js";

/** @import { Counter, Sheet, Sheets, Tiles, Value } from "./types.js" */
/** @typedef {Record<string, Value>} Tapped */

const BY_NAME = ["attribute", "skill"];

/**
 * How the values of a counter are written, from 0 on, as in "d10"; empty if as numbers.
 * @param {Sheets} sheets
 * @param {string | undefined} system
 * @param {string} kind
 */
export const scaleOf = ({ rules }, system, kind) => (BY_NAME.includes(kind) ? (rules[system ?? ""]?.scale ?? []) : []);

/**
 * The tiles of a tap on a counter: a skill comes with its attribute, and with the gear if there is only one. Null if the
 * rules have no roll for it.
 * @param {Tiles | null} tiles of the rules played
 * @param {Sheet} sheet
 * @param {Counter} counter
 * @returns {Tapped | null}
 */
export function tappedFor(tiles, sheet, counter) {
  const { kind, name } = counter;
  if (tiles?.system !== sheet.system || !BY_NAME.includes(kind)) return null;
  /** @param {Counter} one */
  const placesOf = (one) =>
    tiles.tiles.filter((tile) => tile.kind === "counter" && tile.counter_kinds.includes(one.kind));
  const there = sheet.counters.filter((one) => one.now > 0);
  const places = placesOf(counter);
  const partner = kind === "skill" ? there.find((one) => one.name === tiles.goes_with?.[name]) : undefined;
  const partnerTile = partner && placesOf(partner).find((tile) => places.some((one) => one !== tile));
  const own = places.find((tile) => tile !== partnerTile);
  if (!own) return null;
  const gear = there.filter((one) => one.kind === "gear");
  const use = kind === "skill" && gear.length === 1 ? placesOf(gear[0])[0] : undefined;
  return {
    [own.name]: name,
    ...(partnerTile && partner ? { [partnerTile.name]: partner.name } : {}),
    ...(use ? { [use.name]: gear[0].name } : {}),
  };
}

/**
 * The tiles after a tap on another counter: one that was tapped leaves, an attribute joins the skill in place of its own.
 * @param {Tiles} tiles
 * @param {Sheet} sheet
 * @param {Tapped} tapped
 * @param {Counter} counter
 * @returns {Tapped}
 */
export function tappedToo(tiles, sheet, tapped, counter) {
  const own = isTapped(tiles, tapped, counter);
  if (own) return Object.fromEntries(Object.entries(tapped).filter(([name]) => name !== own.name));
  const alone = tappedFor(tiles, sheet, counter) ?? {};
  const skill = sheet.counters.find((one) => one.kind === "skill" && isTapped(tiles, tapped, one));
  const [place] = Object.keys(alone);
  return counter.kind === "attribute" && skill && isTapped(tiles, tapped, skill)?.name !== place
    ? { ...tapped, ...alone }
    : alone;
}

/** The tile that a counter was tapped for. @param {Tiles} tiles @param {Tapped} tapped @param {Counter} counter */
export function isTapped(tiles, tapped, { kind, name }) {
  return tiles.tiles.find((tile) => tapped[tile.name] === name && tile.counter_kinds?.includes(kind));
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

/** The name of a roll by its counters, as in "Strength + Fight". @param {Tiles | null} tiles @param {Tapped} tapped */
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
