// @ts-check
// A rule system at a glance: a sentence, its dice, and what they are worth.

import { paint } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { ruleWord } from "../lib/words.js";

/** @import { Colours } from "../lib/types.js" */
/** @typedef {{ about: string, example: string, dice: { role: string, value: number, sides: number }[] }} Looks */

/** @param {Looks} looks @param {Colours} [colours] */
export function rulesLook({ about, example, dice }, colours) {
  const drawn = dice.map(
    ({ role, value, sides }) =>
      html`<span class="example-die"><b .style=${paint(role, colours)}>${value}</b><small>${sides === 6 ? ruleWord(role) : t("page.ruling.sides", { sides })}</small></span>`,
  );
  return html`<span class="rules-about">${about}</span><span class="example" aria-hidden="true">${drawn}</span>${example ? html`<span class="rules-example">${example}</span>` : nothing}`;
}
