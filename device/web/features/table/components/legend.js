// @ts-check
// The legend of the marks on dice.

import { MARKS, icon } from "../../../ui/lib/drawing.js";
import { t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/**
 * @param {HTMLElement} place
 * @param {boolean} hasPush whether the rules know a push
 */
export function showLegend(place, hasPush) {
  const asks = hasPush ? ["stay", "reroll"] : [];
  const signs = [
    ...MARKS.map((mark) => [mark, t(`page.mark.${mark}`)]),
    ...asks.map((ask) => [ask, t(`page.group.${ask}`)]),
  ];
  render(
    signs.map(([sign, words]) => html`<li class="mark-${sign} kind-${sign}">${icon(sign)}${words}</li>`),
    place,
  );
}
