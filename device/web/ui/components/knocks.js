// @ts-check
// Phones that ask to be let in: the display and the game master's phone answer each with yes or no.

import { ask } from "../lib/api.js";
import { element } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";
import { raise, say } from "./page.js";

/** @import { Knock } from "../lib/types.js" */

const bar = element(html`<div class="knocks" role="alert" popover="manual" data-testid="knocks" hidden></div>`);
let shown = "";

/**
 * @param {Knock} knock
 * @param {boolean} isLetIn
 */
async function answer(knock, isLetIn) {
  const answered = await ask("POST", `/api/phones/knocks/${knock.id}`, { let_in: isLetIn });
  if (!answered.ok) say(answered.text);
}

/** @param {Knock[]} knocks */
export async function showKnocks(knocks) {
  const wanted = knocks.map(({ id }) => id).join();
  if (wanted === shown) return;
  shown = wanted;
  const role = knocks.length ? (await learnIdentity())?.role : null;
  if (wanted !== shown) return;
  const lines = role === "table" || role === "game_master" ? knocks : [];
  render(
    lines.map((one) => {
      const phone = one.device ? t("page.knock.device", { word: one.word, device: one.device }) : one.word;
      return html`<div data-testid="knock">
        <b>${t("page.knock.ask", { phone })}</b>
        <button type="button" class="tool" data-testid="knock-no" @click=${() => answer(one, false)}>${t("page.knock.no")}</button>
        <button type="button" class="tool go" data-testid="knock-yes" @click=${() => answer(one, true)}>${t("page.knock.yes")}</button>
      </div>`;
    }),
    bar,
  );
  if (!bar.isConnected) document.body.append(bar);
  raise(bar, lines.length > 0);
}
