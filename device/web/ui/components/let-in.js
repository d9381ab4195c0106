// @ts-check
// The button that lets phones in or stops it: it explains what opens and asks first.

import { ask } from "../lib/api.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { confirmed } from "./dialog.js";

/** @import { Phones, Say } from "../lib/types.js" */

/** @param {Phones} phones @param {Say} say @param {(latest: Phones) => void} onNews */
export function letInButton(phones, say, onNews) {
  if (phones.open === null) return nothing;
  const isOpen = phones.open;
  const label = t(isOpen ? "page.phones.stop" : "page.phones.let_in");
  const question = isOpen ? "ask_stop" : phones.asks_pin ? "let_in_pin" : "let_in_no_pin";
  async function turn() {
    if (!(await confirmed(t(`page.phones.${question}`), label, isOpen ? "danger" : "go"))) return;
    const answer = await ask("PUT", "/api/phones/open", { open: !isOpen });
    if (answer.ok) onNews(answer.snapshot);
    else say(answer.text);
  }
  return html`<button type="button" class="tool ${isOpen ? "" : "go"}" data-testid=${isOpen ? "stop-phones" : "let-in"} @click=${turn}>${label}</button>`;
}

/**
 * The same on other pages: once phones may come in, the code is shown.
 * @param {Phones | null} phones null: this device may not let them in
 * @param {Say} say
 */
export function letInKey(phones, say) {
  if (!phones) return nothing;
  const show = () => location.assign("/phones");
  return phones.open === false
    ? letInButton(phones, say, show)
    : html`<a class="tool" href="/phones" data-testid="show-code">${t("page.phones.open")}</a>`;
}

/** @returns {Promise<Phones | null>} */
export async function learnPhones() {
  const answer = await ask("GET", "/api/phones");
  return answer.ok ? answer.snapshot : null;
}
