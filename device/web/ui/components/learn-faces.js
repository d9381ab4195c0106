// @ts-check
// Learns the faces of dice that were given a value; asks first if one looks like another face, or unlike its own.

import { ask } from "../lib/api.js";
import { loadFaces } from "../lib/taught-faces.js";
import { t } from "../lib/texts.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";
import { faceWord } from "../lib/words.js";
import { confirmed } from "./dialog.js";
import { say } from "./page.js";

/** @typedef {{ value: number, other: number, picture: string, twin: string }} Doubt */

/** What is doubtful about a face that was given a value. @param {Doubt} doubt */
export function doubtWords({ value, other }) {
  const words = { one: faceWord(value), other: faceWord(other) };
  return t(value === other ? "page.dice_sets.unlike" : "page.dice_sets.contradiction", words);
}

/** The face, and the known one that it is compared with. @param {Doubt} doubt */
export const doubtPictures = ({ value, other, picture, twin }) =>
  html`<figure class="two-faces"><img src=${picture} alt=${faceWord(value)}><img src=${twin} alt=${faceWord(other)}></figure>`;

/** @param {{ id: number }[]} dice */
export async function learnFaces(dice) {
  const ids = dice.map(({ id }) => id);
  let answer = await ask("POST", "/api/dice-sets/remember", { dice: ids });
  if (!answer.ok && answer.reason === "contradiction") {
    const doubt = /** @type {Doubt} */ (answer.nearest);
    const yes = t("page.dice_sets.anyway", { one: faceWord(doubt.value) });
    if (!(await confirmed(doubtWords(doubt), yes, "go", doubtPictures(doubt)))) return;
    answer = await ask("POST", "/api/dice-sets/remember", { dice: ids, anyway: true });
  }
  const { name, values } = answer.snapshot ?? {};
  if (answer.ok) say(t("page.pad.remembered", { name, values: [...new Set(values.map(faceWord))].join(", ") }));
  else say(answer.text);
  await loadFaces();
}
