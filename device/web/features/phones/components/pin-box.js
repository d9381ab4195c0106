// @ts-check
// The PIN box, on a phone's own page and wherever a page needs a paired phone.

import { ask } from "../../../ui/lib/api.js";
import { element } from "../../../ui/lib/dom.js";
import { t } from "../../../ui/lib/texts.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Answer } from "../../../ui/lib/types.js" */

const POLL_MS = 2000;

/**
 * @param {(answer: Answer) => void} hear the tray's answer about this phone, or why it is not let in
 * @param {() => void} draw
 */
export function pinBox(hear, draw) {
  /** @type {{ word: string, ticket: string } | null} */
  let knock = null;
  /** @type {HTMLInputElement} */
  const pin = element(
    html`<input class="pin" inputmode="numeric" autocomplete="one-time-code" aria-describedby="pin-note" data-testid="pin">`,
  );

  /** @param {string} given */
  async function pair(given) {
    hear(await ask("POST", "/api/phones/pair", { pin: given }));
    pin.value = "";
  }

  async function askToEnter() {
    const answer = await ask("POST", "/api/phones/knock");
    if (!answer.ok) return hear(answer);
    knock = /** @type {any} */ (answer.snapshot);
    draw();
    setTimeout(enter, POLL_MS);
  }

  async function enter() {
    if (!knock) return;
    const answer = await ask("POST", "/api/phones/enter", { ticket: knock.ticket });
    const waits = answer.ok ? "waits" in answer.snapshot : answer.reason === "no_answer" || answer.reason === "lost";
    if (waits) return setTimeout(enter, POLL_MS);
    knock = null;
    hear(answer);
  }

  /** @param {string} shown */
  const digit = (shown) =>
    html`<button type="button" class="key" @click=${() => (pin.value += shown)}>${shown}</button>`;
  const erase = () => (pin.value = pin.value.slice(0, -1));
  const pad = html`<div class="pin-pad">${[..."123456789"].map(digit)}<button type="button" class="key" aria-label=${t("page.keyboard.bksp")} @click=${erase}>⌫</button>${digit("0")}<button class="key go" data-testid="pair">${t("page.me.pair_go")}</button></div>`;

  /** @param {SubmitEvent} event */
  function onPin(event) {
    event.preventDefault();
    if (pin.value.trim()) pair(pin.value);
  }

  /** @param {string} refusal */
  const card = (refusal) => html`<section class="card" aria-labelledby="pin-title">
    <h2 id="pin-title">${t("page.me.pair")}</h2>
    <p id="pin-note">${t("page.me.pair_how")}</p>
    <form class="row" @submit=${onPin}><label class="field">${t("page.me.pin")} ${pin}</label>${pad}</form>
    <p class="refusal" role="alert" data-testid="refusal">${refusal}</p>
    ${
      knock
        ? html`<p role="status" data-testid="knock-word">${t("page.me.knocked", { word: knock.word })}</p>`
        : html`<p>${t("page.me.knock_how")} <button type="button" class="tool" data-testid="knock" @click=${askToEnter}>${t("page.me.knock")}</button></p>`
    }
    <p><a class="link-text" href="/">${t("page.me.watch")}</a></p>
  </section>`;
  return { pair, card };
}
