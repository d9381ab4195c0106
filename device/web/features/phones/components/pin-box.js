// @ts-check
// The PIN box, on a phone's own page and wherever a page needs a paired phone.

import { ask } from "../../../ui/lib/api.js";
import { element } from "../../../ui/lib/dom.js";
import { t } from "../../../ui/lib/texts.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Answer } from "../../../ui/lib/types.js" */

/** @param {(answer: Answer) => void} hear what the tray says of this phone then, or why it is not let in */
export function pinBox(hear) {
  /** @type {HTMLInputElement} */
  const pin = element(
    html`<input class="pin" inputmode="numeric" autocomplete="one-time-code" aria-describedby="pin-note" data-testid="pin">`,
  );

  /** @param {string} given */
  async function pair(given) {
    hear(await ask("POST", "/api/phones/pair", { pin: given }));
    pin.value = "";
  }

  /** @param {SubmitEvent} event */
  function onPin(event) {
    event.preventDefault();
    if (pin.value.trim()) pair(pin.value);
  }

  /** @param {string} refusal */
  const card = (refusal) => html`<section class="card" aria-labelledby="pin-title">
    <h2 id="pin-title">${t("page.me.pair")}</h2>
    <p id="pin-note">${t("page.me.pair_how")}</p>
    <form class="row" @submit=${onPin}><label class="field">${t("page.me.pin")} ${pin}</label><button class="tool go" data-testid="pair">${t("page.me.pair_go")}</button></form>
    <p class="refusal" role="alert" data-testid="refusal">${refusal}</p>
    <p><a class="link-text" href="/">${t("page.me.watch")}</a></p>
  </section>`;
  return { pair, card };
}
