// @ts-check
// Pictures of the faces that people taught the tray, shown beside values, and whether corrected faces are learned.

import { ask } from "./api.js";

/** @typedef {{ colour: string, value: number, picture: string }} TaughtFace */

/** @type {{ remember: string, faces: TaughtFace[] }} */
let held = { remember: "never", faces: [] };

/** Asks the tray for them; what it does not answer stays as it was. */
export async function loadFaces() {
  const answer = await ask("GET", "/api/dice-faces");
  if (!answer.ok) return;
  held = /** @type {typeof held} */ (/** @type {unknown} */ (answer.snapshot));
  dispatchEvent(new Event("taught-faces"));
}

/** Whether corrected faces are learned: "ask", "always" or "never". */
export const rememberRule = () => held.remember;

/**
 * The picture of a class's face that counts so much, where one was taught.
 * @param {string | null | undefined} colour
 * @param {number | null | undefined} value
 */
export const faceOf = (colour, value) =>
  held.faces.find((face) => face.colour === colour && face.value === value)?.picture;
