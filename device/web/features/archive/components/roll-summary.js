// @ts-check
// One roll of the history: picture, player, purpose, chance, result, pushes and corrections.

import { dayWords, timeWords } from "../../../ui/lib/moments.js";
import { movedDice } from "../lib/remembered.js";
import { t } from "../../../ui/lib/texts.js";
import { faceWord } from "../../../ui/lib/words.js";
import { html, nothing } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { miniDie } from "../../../ui/components/mini-die.js";
import { percent } from "../../../ui/components/odds.js";

/** @import { Colours, RollSummary, ThrowSummary } from "../../../ui/lib/types.js" */

/** @param {ThrowSummary} thrown @param {number} place @param {Colours} [colours] */
function throwOf(thrown, place, colours) {
  const chance =
    thrown.p_success === null
      ? nothing
      : html`<span class="quiet">${t("page.history.chance", { chance: percent(thrown.p_success) })}</span>`;
  return html`<div class="roll-throw" data-success=${String(thrown.success)}>
    ${place > 0 ? html`<em>${t("page.history.push")}</em>` : nothing}
    <span class="roll-dice">${(place > 0 ? movedDice(thrown) : thrown.dice).map((die) => miniDie(die, colours))}</span>
    ${thrown.headline === null ? nothing : html`<strong>${thrown.result} ${thrown.headline}</strong>`}${chance}
    ${thrown.met_text === null ? nothing : html`<span class="quiet">${thrown.met_text}</span>`}
  </div>`;
}

/** @param {RollSummary} roll */
function correctionsOf(roll) {
  if (roll.corrections.length === 0) return nothing;
  const shown = roll.corrections
    .filter((one) => !one.word && one.value !== null)
    .map((one) => t("page.history.read_as", { read: faceWord(one.read_value), value: faceWord(one.value) }));
  return html`<p class="quiet">${[t("page.history.corrected", { count: roll.corrections.length }), ...shown].join(", ")}</p>`;
}

/**
 * @param {RollSummary} roll
 * @param {Colours | undefined} colours
 * @param {(roll: RollSummary) => void} onForget
 * @param {(roll: RollSummary) => void} onWhose
 */
export function rollSummary(roll, colours, onForget, onWhose) {
  const time = timeWords(roll.at);
  const pictures = roll.throws.filter((one) => one.picture !== null);
  const whose = [roll.whose, roll.label].filter(Boolean).join(": ");
  return html`<li class="roll-summary" data-testid="roll-summary" data-roll=${roll.id}>
    ${pictures.length > 0 ? html`<span class="roll-pictures">${pictures.map((one) => html`<img src="/api/rolls/${one.picture}/picture.jpg" alt=${t("page.history.picture", { time })} loading="lazy">`)}</span>` : nothing}
    <div class="roll-text">
      <h3><time datetime=${roll.at}>${dayWords(roll.at)}, ${time}</time> ${whose ? html`<b>${whose}</b>` : nothing} ${roll.aim_text === null ? nothing : html`<small class="quiet">${roll.aim_text}</small>`}</h3>
      ${roll.throws.length > 0 ? roll.throws.map((one, place) => throwOf(one, place, colours)) : html`<div class="roll-throw"><span class="roll-dice">${roll.dice.map((die) => miniDie(die, colours))}</span><span class="quiet">${t("page.history.no_result")}</span></div>`}
      ${roll.compared === null ? nothing : html`<p data-testid="compared">${roll.compared.text}</p>`}
      ${correctionsOf(roll)}
      <p class="roll-foot quiet">${roll.system_title}<button type="button" class="tool" aria-haspopup="dialog" data-testid="whose-button" aria-label=${t("page.whose.of", { time })} @click=${() => onWhose(roll)}>${t("page.whose.title")}</button><button type="button" class="tool" aria-label=${t("page.history.forget_what", { time })} @click=${() => onForget(roll)}>${t("page.history.forget")}</button></p>
    </div>
  </li>`;
}
