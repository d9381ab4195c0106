// @ts-check
// The address of a link for another device, with a code to scan: what a kiosk shows in place of a page without a menu.

import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { learnPhones, letInButton } from "./let-in.js";

/** @import { Phones } from "../lib/types.js" */

// A link as other devices open it; null where they can't reach the tray. Without phones this device can't see its address.
/** @param {string} link @param {Phones | null} phones */
function addressFor(link, phones) {
  const { origin, pathname, search } = new URL(link);
  if (origin !== location.origin || !phones) return link;
  return phones.address && new URL(pathname + search, phones.address).href;
}

/** @param {HTMLAnchorElement} link */
export async function showAddress(link) {
  const self = panel("address", link.textContent ?? "");
  self.node.addEventListener("close", () => self.node.remove());

  // A page of http has no `navigator.clipboard`, but may copy what is selected.
  /** @param {{ currentTarget: HTMLElement }} event */
  function copy({ currentTarget: key }) {
    getSelection()?.selectAllChildren(/** @type {Node} */ (self.node.querySelector(".address")));
    if (document.execCommand("copy")) key.textContent = t("page.address.copied");
  }

  /** @param {Phones | null} phones */
  function draw(phones, refusal = "") {
    const address = addressFor(link.href, phones);
    const inside =
      address === null
        ? html`<p>${t(phones?.open === false ? "page.phones.closed" : "page.phones.no_address")}</p>
            ${phones ? letInButton(phones, (text) => draw(phones, text), draw) : nothing}
            <p class="refusal" role="alert">${refusal}</p>`
        : html`<img class="code" src="/api/phones/qr.svg?to=${encodeURIComponent(address)}" alt=${t("page.address.code")} width="232" height="232">
            <p>${t("page.address.how")}</p>
            <p><b class="address" data-testid="address">${address}</b></p>
            <button type="button" class="tool" data-testid="copy" @click=${copy}>${t("page.address.copy")}</button>`;
    self.draw(html`<div class="other-device">${inside}</div>`);
  }

  draw(await learnPhones());
  self.open();
}
