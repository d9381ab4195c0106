// @ts-check
// A die of the log: value, kind unless it has six sides, what it did, and the camera's reading if it was corrected.

import { icon, paint } from "../lib/drawing.js";
import { kindWord } from "../lib/step-dice.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { classWords, faceSign, faceWord } from "../lib/words.js";

/** @import { Colours, Die } from "../lib/types.js" */

/** @param {Die} die @param {Colours} [colours] */
export function miniDie(die, colours) {
  const { mark = null, value, read_value: read } = die;
  const isCorrected = "read_value" in die && read !== value;
  const isChanged = isCorrected || ("read_colour" in die && die.read_colour !== die.colour);
  const kind = kindWord(die.sides);
  const what = die.role || die.colour ? classWords(die) : t("page.die.unknown");
  const name = `${what}${kind} ${faceWord(value)}`.trim();
  const words = mark ? `${name}, ${t(`page.mark.${mark}`)}` : name;
  return html`<span class="mini mark-${mark ?? "none"} ${isChanged ? "changed" : ""}" role="img" aria-label=${words} title=${words} .style=${paint(die.colour, colours)}>${isCorrected ? html`<s>${faceSign(read)}</s>` : nothing}${faceSign(value)}${kind ? html`<small>${kind}</small>` : nothing}${mark && mark !== "nothing" ? icon(mark) : nothing}</span>`;
}
