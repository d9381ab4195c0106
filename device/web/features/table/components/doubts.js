// @ts-check
// Ways to settle a doubt without the pad: a tap on an empty place of the picture, confirming all dice, another pool.

import { icon } from "../../../ui/lib/drawing.js";
import { maybe, t } from "../../../ui/lib/texts.js";
import { html, nothing } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { problemsOf } from "../../../ui/lib/words.js";

/** @import { Point, Snapshot } from "../../../ui/lib/types.js" */

// As many as have room in the size of the correction window; the picture shows all of them.
const MAX_CROPS = 2;

/**
 * The place under a tap in the picture's own pixels; null outside it. The picture is centred, as large as its box allows.
 * @param {{ clientX: number, clientY: number }} tap
 * @param {{ left: number, top: number, width: number, height: number }} box
 * @param {{ width: number, height: number }} picture
 * @returns {Point | null}
 */
export function placeOf(tap, box, { width, height }) {
  const scale = Math.min(box.width / width, box.height / height);
  const x = (tap.clientX - box.left - (box.width - width * scale) / 2) / scale;
  const y = (tap.clientY - box.top - (box.height - height * scale) / 2) / scale;
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  return [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
}

/** The place for a die's crop; crops.js draws it. @param {number} id */
export const cropPlace = (id) =>
  html`<canvas class="crop" data-crop=${id} width="256" height="256" aria-hidden="true"></canvas>`;

/** A line with what settles problems. @param {string} id @param {() => unknown} onTap @param {unknown} words */
export const cureLine = (id, onTap, words) =>
  html`<li class="confirm-line"><button id=${id} type="button" class="tool confirm" @click=${onTap}>${words}</button></li>`;

// The same for all of them, if only the picture is in doubt or the table is asked something.
/** @param {Snapshot} snapshot @param {() => unknown} onConfirm */
export function confirmLine(snapshot, onConfirm) {
  const [problem] = problemsOf(snapshot);
  const words =
    maybe(`page.doubt.yes.${problem?.code}`, { count: problem?.dice?.length ?? 0 }) ?? t("page.doubt.confirm");
  const doubtful = problem?.code === "maybe_not_rolled" ? problem.dice.slice(0, MAX_CROPS) : [];
  return html`${doubtful.length ? html`<li class="doubtful-dice">${doubtful.map(cropPlace)}</li>` : nothing}${cureLine("confirm", onConfirm, html`${icon("final")}${words}`)}`;
}
