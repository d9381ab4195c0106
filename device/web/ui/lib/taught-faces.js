// @ts-check
// Pictures of taught faces, shown next to values, and whether corrected faces are learned.

import { ask } from "./api.js";

/** @typedef {{ colour: string, sides: number, value: number, picture: string }} TaughtFace */

/** @type {{ remember: string, faces: TaughtFace[] }} */
let held = { remember: "never", faces: [] };

/** Requests them; on failure the old ones stay. */
export async function loadFaces() {
  const answer = await ask("GET", "/api/dice-faces");
  if (!answer.ok) return;
  held = /** @type {typeof held} */ (/** @type {unknown} */ (answer.snapshot));
  dispatchEvent(new Event("taught-faces"));
}

/** Whether corrected faces are learned: "ask", "always" or "never". */
export const rememberRule = () => held.remember;

/**
 * The picture of a class's taught face with this value, if there is one.
 * @param {string | null | undefined} colour
 * @param {number | null | undefined} value
 * @param {number} [sides]
 */
export const faceOf = (colour, value, sides = 6) =>
  held.faces.find((face) => face.colour === colour && face.value === value && face.sides === sides)?.picture;

/** Whether a class has a taught blank face. @param {string | null | undefined} colour */
export const mayBeBlank = (colour) => held.faces.some((face) => face.colour === colour && face.value === 0);

/** The numbers of sides of taught dice, six among them. */
export const taughtSides = () => [...new Set([6, ...held.faces.map(({ sides }) => sides)])].sort((a, b) => a - b);
