// @ts-check
// Dice in doubt: the reading of each, its confidence, and its part of the picture.

import { kindWord } from "../../../ui/lib/step-dice.js";
import { t } from "../../../ui/lib/texts.js";
import { classWords, diceOf, faceWord } from "../../../ui/lib/words.js";

/** @import { Die, Point, Snapshot } from "../../../ui/lib/types.js" */
/** @typedef {{ id: number, value: number, colour: string }} Reading */
/** @typedef {{ center: Point, side: number, turn_rad: number }} Crop */

// A crop has a third of the die's edge around it, to show what it leans on.
const AROUND = 1.66;
/** Shares of right readings by confidence, highest first. */
const SURE = /** @type {const} */ ([
  ["sure", 0.95],
  ["likely", 0.75],
  ["maybe", 0.4],
  ["guess", 0],
]);

/** The colour class of which the declared pool lacks a die, if it is the only one. @param {Snapshot} snapshot */
export function missingClass(snapshot) {
  const lying = diceOf(snapshot).map((die) => die.colour);
  const missing = Object.keys(snapshot.colours ?? {}).filter(
    (name) => (snapshot.pool?.[name] ?? 0) > lying.filter((colour) => colour === name).length,
  );
  return missing.length === 1 ? missing[0] : null;
}

/**
 * The dice in doubt, least certain first; none of a hidden roll. If only the picture as a whole is in doubt, one tap
 * settles it (`confirmable`).
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
 * Value and class of a die if it is accepted as read; null if either was not read. A die of unclear colour gets the class
 * missing from the declared pool, if there is only one.
 * @param {Die} die
 * @param {Snapshot} snapshot
 * @returns {Reading | null}
 */
export function asRead(die, snapshot) {
  const value = die.value ?? die.read_value ?? null;
  const colour = die.colour ?? die.read_colour ?? missingClass(snapshot);
  return value === null || colour === null ? null : { id: die.id, value, colour };
}

/** A die as read, as short as a chip of the list: "3 base". @param {Die} die @param {Reading | null} reading */
export function readWords(die, reading) {
  const role = reading && reading.colour !== die.colour ? reading.colour : die.role;
  const name = classWords({ role, colour: die.colour });
  return `${faceWord(reading?.value ?? die.value)} ${name}${kindWord(die.sides)}`.trim();
}

/** A reading's confidence as text. @param {Die} die */
export function sureWords({ confidence = 0 }) {
  const [name] = SURE.find(([, least]) => confidence >= least) ?? SURE[SURE.length - 1];
  return t(`page.doubt.${name}`);
}

/**
 * The square of the picture that shows a die, and its rotation: by its top face if known, turned as little as makes its
 * edges upright.
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
