// @ts-check
// Phones that ask to be let in: the display and the game master's phone answer each with yes or no.

import { element } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { isMaster } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";
import { raise, send } from "./page.js";

/** @import { Knock } from "../lib/types.js" */

const bar = element(html`<div class="knocks" role="alert" popover="manual" data-testid="knocks" hidden></div>`);
let shown = "";

/** @param {Knock} knock @param {boolean} isLetIn */
const answer = ({ id }, isLetIn) => send("POST", `/api/phones/knocks/${id}`, { let_in: isLetIn });

/** @param {Knock[]} knocks */
export async function showKnocks(knocks) {
  const wanted = knocks.map(({ id }) => id).join();
  if (wanted === shown) return;
  shown = wanted;
  const role = knocks.length ? (await learnIdentity())?.role : null;
  if (wanted !== shown) return;
  const lines = role && isMaster(role) ? knocks : [];
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
