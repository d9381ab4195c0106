// @ts-check
// Pictures of taught faces, shown next to values, and whether corrected faces are learned.

import { ask } from "./api.js";
import { t } from "./texts.js";
import { faceWord } from "./words.js";

/** @import { Say } from "./types.js" */

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

/**
 * Learns the faces of dice that were given a value.
 * @param {{ id: number }[]} dice
 * @param {Say} say
 */
export async function learnFaces(dice, say) {
  const answer = await ask("POST", "/api/dice-sets/remember", { dice: dice.map(({ id }) => id) });
  const { name, values, alike } = /** @type {any} */ (answer.snapshot ?? {});
  if (!answer.ok) say(answer.text);
  else if (alike !== null)
    say(t("page.pad.alike", { name, value: values.map(faceWord).join(", "), other: faceWord(alike) }));
  else say(t("page.pad.remembered", { name, values: [...new Set(values.map(faceWord))].join(", ") }));
  await loadFaces();
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

/**
 * Whether a class has a taught blank face.
 * @param {string | null | undefined} colour
 */
export const mayBeBlank = (colour) => held.faces.some((face) => face.colour === colour && face.value === 0);

/** The numbers of sides of taught dice, six among them. */
export const taughtSides = () => [...new Set([6, ...held.faces.map(({ sides }) => sides)])].sort((a, b) => a - b);
