// @ts-check
// A die of the log: its value, what it did, and the camera's reading if it was corrected.

import { icon, paint } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { classWords } from "../lib/words.js";

/** @import { Colours, Die } from "../lib/types.js" */

/**
 * @param {Die} die
 * @param {Colours} [colours]
 */
export function miniDie(die, colours) {
  const { mark = null, value, read_value: read } = die;
  const isCorrected = "read_value" in die && read !== value;
  const isChanged = isCorrected || ("read_colour" in die && die.read_colour !== die.colour);
  const name = `${die.role || die.colour ? classWords(die) : t("page.die.unknown")} ${value ?? "?"}`.trim();
  return html`<span class="mini mark-${mark ?? "none"} ${isChanged ? "changed" : ""}" title=${mark ? `${name}, ${t(`page.mark.${mark}`)}` : name} .style=${paint(die.colour, colours)}>${isCorrected ? html`<s>${read ?? "?"}</s>` : nothing}${value ?? "?"}${mark && mark !== "nothing" ? icon(mark) : nothing}</span>`;
}
