// @ts-check
// Dice in doubt: which they are, what was made of each, how sure that is, and which part of the picture shows it.

import { t } from "./texts.js";
import { missingClass } from "./late-words.js";
import { classWords, diceOf } from "./words.js";

/** @import { Die, Point, Snapshot } from "./types.js" */
/** @typedef {{ id: number, value: number, colour: string }} Reading */
/** @typedef {{ center: Point, side: number, turn_rad: number }} Crop */

// A die stands in its crop with a third of its edge around it, so that one can see what it leans on.
const AROUND = 1.66;
/** Shares of such readings that proved right, from the surest down. */
const SURE = /** @type {const} */ ([
  ["sure", 0.95],
  ["likely", 0.75],
  ["maybe", 0.4],
  ["guess", 0],
]);

/**
 * The dice without a reading to rely on, the least sure first; none of a hidden roll. Where only the picture as a whole is in
 * doubt, one word settles it (`confirmable`), and no die is more in doubt than the others.
 * @param {Snapshot} snapshot
 * @returns {Die[]}
 */
export function doubtfulDice(snapshot) {
  if (snapshot.hidden || snapshot.covered || snapshot.state === "rolling") return [];
  return diceOf(snapshot)
    .filter((die) => die.ask === "unread")
    .sort((a, b) => (a.confidence ?? 0) - (b.confidence ?? 0) || a.id - b.id);
}

/**
 * What would hold if a die were taken as it was read; null where the camera made nothing of its value or its colour. A die
 * of an unclear colour is of the one class that the declared pool misses, where it is one.
 * @param {Die} die
 * @param {Snapshot} snapshot
 * @returns {Reading | null}
 */
export function asRead(die, snapshot) {
  const value = die.value ?? die.read_value ?? null;
  const colour = die.colour ?? die.read_colour ?? missingClass(snapshot);
  return value === null || colour === null ? null : { id: die.id, value, colour };
}

/**
 * A die as it was read, in as few words as a chip of the list has: "3 base".
 * @param {Die} die
 * @param {Reading | null} reading
 */
export function readWords(die, reading) {
  const role = reading && reading.colour !== die.colour ? reading.colour : die.role;
  const name = classWords({ role, colour: die.colour });
  return `${reading?.value ?? die.value ?? "?"} ${name}`.trim();
}

/**
 * How sure a reading is, in words.
 * @param {Die} die
 */
export function sureWords({ confidence = 0 }) {
  const [name] = SURE.find(([, least]) => confidence >= least) ?? SURE[SURE.length - 1];
  return t(`page.doubt.${name}`);
}

/**
 * Which square of the picture shows a die, and how far it is turned there. By its top face where that is known: turned by
 * the least that lets its edges stand upright.
 * @param {Die} die
 * @returns {Crop | null}
 */
export function cropOf({ top_quad_px: corners, box_px: box }) {
  if (corners?.length === 4) {
    const center = /** @type {Point} */ (
      [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / 4)
    );
    const edges = corners.map(([x, y], index) =>
      Math.hypot(corners[(index + 1) % 4][0] - x, corners[(index + 1) % 4][1] - y),
    );
    const [[x0, y0], [x1, y1]] = corners;
    const quarter = Math.PI / 2;
    const angle = Math.atan2(y1 - y0, x1 - x0);
    return {
      center,
      side: (edges.reduce((sum, edge) => sum + edge, 0) / 4) * AROUND,
      turn_rad: angle - Math.round(angle / quarter) * quarter,
    };
  }
  if (!box) return null;
  const [x, y, width, height] = box;
  return { center: [x + width / 2, y + height / 2], side: Math.max(width, height) * 1.2, turn_rad: 0 };
}
