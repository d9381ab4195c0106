// @ts-check
// The address of a link for another device, with a code to scan: what a kiosk shows in place of a page without a menu.

import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { learnPhones, letInButton } from "./let-in.js";

/** @import { Phones } from "../lib/types.js" */

/**
 * A link as other devices open it; null where they can't reach the tray.
 * @param {string} link
 * @param {Phones | null} phones null: this device may not see the tray's addresses
 */
function addressFor(link, phones) {
  const { origin, pathname, search } = new URL(link);
  if (origin !== location.origin || !phones) return link;
  return phones.address && new URL(pathname + search, phones.address).href;
}

/** @param {HTMLAnchorElement} link */
export async function showAddress(link) {
  const body = document.createElement("div");
  body.className = "other-device";
  const { node, open } = panel("address", link.textContent ?? "", body, nothing);
  node.addEventListener("close", () => node.remove());

  // A page of http has no `navigator.clipboard`, but may copy what is selected.
  function copy() {
    getSelection()?.selectAllChildren(/** @type {Node} */ (body.querySelector(".address")));
    const key = /** @type {HTMLElement} */ (body.querySelector("[data-testid=copy]"));
    if (document.execCommand("copy")) key.textContent = t("page.address.copied");
  }

  /** @param {Phones | null} phones */
  function draw(phones, refusal = "") {
    const address = addressFor(link.href, phones);
    render(
      address === null
        ? html`<p>${t(phones?.open === false ? "page.phones.closed" : "page.phones.no_address")}</p>
            ${phones ? letInButton(phones, (text) => draw(phones, text), draw) : nothing}
            <p class="refusal" role="alert">${refusal}</p>`
        : html`<img class="code" src="/api/phones/qr.svg?to=${encodeURIComponent(address)}" alt=${t("page.address.code")} width="232" height="232">
            <p>${t("page.address.how")}</p>
            <p><b class="address" data-testid="address">${address}</b></p>
            <button type="button" class="tool" data-testid="copy" @click=${copy}>${t("page.address.copy")}</button>`,
      body,
    );
  }

  draw(await learnPhones());
  document.body.append(node);
  open();
}
