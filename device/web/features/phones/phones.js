// @ts-check
// Phones on the display: the code, the PIN, and every phone, which can be unpaired here.

import { ask } from "../../ui/lib/api.js";
import { byId } from "../../ui/lib/dom.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { letInButton } from "../../ui/components/let-in.js";
import { follow, say, send } from "../../ui/components/page.js";

/** @import { Phone, Phones } from "../../ui/lib/types.js" */

const AGAIN_MS = 4000;
const HALF = 3;

/** @type {Phones | null} */
let seen = null;
let refusal = "";
let isMasterShown = false;

/** @param {Phones | null} latest what the tray answered; null if it refused */
function hear(latest) {
  if (!latest) return;
  seen = latest;
  refusal = "";
  draw();
}

/** @type {(method: string, path: string, body?: object) => Promise<void>} */
const change = async (method, path, body) => hear(await send(method, path, body));

/** @param {string} pin */
const spaced = (pin) => `${pin.slice(0, HALF)} ${pin.slice(HALF)}`;

/** @param {string} address */
function codeCard(address) {
  const key = encodeURIComponent(`${seen?.pins?.player} ${address}`);
  return html`<section class="card code-card" aria-labelledby="code-title">
    <h2 id="code-title">${t("page.phones.open")}</h2>
    <img class="code" src="/api/phones/qr.svg?of=${key}" alt=${t("page.phones.code")} width="232" height="232" data-testid="code">
    <p>${t("page.phones.or_address")} <b class="address" data-testid="address">${address}</b>${seen?.address_by_name ? html` <b class="address" data-testid="address-by-name">${seen.address_by_name}</b>` : nothing}</p>
    ${seen?.pins ? pins(seen.pins) : html`<p class="quiet" data-testid="no-pin">${t("page.phones.no_pin")}</p>`}
    ${seen?.open ? turnRow(seen) : nothing}
  </section>`;
}

/** @param {Phones} now */
const turnRow = (now) => html`<div class="row">${letInButton(now, say, hear)}</div>`;

/** @param {{ player: string, game_master: string }} known */
function pins(known) {
  const turnMaster = () => {
    isMasterShown = !isMasterShown;
    draw();
  };
  const renew = () => change("POST", "/api/phones/pins");
  return html`${seen?.pins_renewed ? html`<p class="quiet" data-testid="renewed">${t("page.phones.renewed")}</p>` : nothing}<p>${t("page.phones.pin")} <b class="pin-shown" data-testid="player-pin">${spaced(known.player)}</b></p>
    ${isMasterShown ? html`<p>${t("page.phones.master_pin")} <b class="pin-shown" data-testid="master-pin">${spaced(known.game_master)}</b></p>` : nothing}
    <div class="row"><button type="button" class="tool" aria-expanded=${isMasterShown} data-testid="show-master" @click=${turnMaster}>${t(isMasterShown ? "page.phones.hide_master" : "page.phones.show_master")}</button><button type="button" class="tool" data-testid="renew" @click=${renew}>${t("page.phones.renew")}</button></div>`;
}

/** @param {Phone} phone */
function phoneRow({ id, name: own, device, sheets, game_master: isMaster }) {
  const name = own ?? (device || t("page.phones.nobody"));
  const more = [own ? device : "", ...sheets.map((one) => one.title)].filter(Boolean).join(", ");
  const path = `/api/phones/${id}`;
  return html`<li data-testid="phone" data-phone=${id}>
    <div class="phone-name"><b>${name}</b>${more ? html` <small>${more}</small>` : nothing}</div>
    <div class="row">
      <button type="button" class="key switch" aria-pressed=${isMaster} aria-label=${t("page.phones.master_of", { phone: name })} data-testid="make-master" @click=${() => change("PATCH", path, { game_master: !isMaster })}>${t("page.gm.title")}</button>
      ${own ? html`<button type="button" class="tool" aria-label=${t("page.phones.free_of", { phone: name })} data-testid="free" @click=${() => change("PATCH", path, { free: true })}>${t("page.phones.free")}</button>` : nothing}
      <button type="button" class="tool" aria-label=${t("page.phones.forget_of", { phone: name })} data-testid="forget" @click=${() => change("DELETE", path)}>${t("page.phones.forget")}</button>
    </div>
  </li>`;
}

function draw() {
  if (!seen)
    return render(html`<section class="card"><p class="refusal" role="alert">${refusal}</p></section>`, byId("phones"));
  const { address, asked: needsPin, phones } = seen;
  const list = needsPin
    ? html`<section class="card" aria-labelledby="list-title"><h2 id="list-title">${t("page.phones.paired")}</h2>${phones.length ? html`<ul class="phones">${phones.map(phoneRow)}</ul>` : html`<p class="quiet" data-testid="no-phones">${t("page.phones.none")}</p>`}</section>`
    : nothing;
  render(
    html`<div class="side-by-side">${address ? codeCard(address) : html`<section class="card"><h2>${t("page.phones.open")}</h2><p data-testid="no-address">${t(seen.open === false && !seen.asked ? "page.phones.closed" : "page.phones.no_address")}</p>${seen.pins ? pins(seen.pins) : nothing}${turnRow(seen)}</section>`}${list}</div>`,
    byId("phones"),
  );
}

// A device that may not see the phones asks once: browsers log each refusal.
let isRefused = false;

async function learn() {
  if (isRefused) return;
  const answer = await ask("GET", "/api/phones");
  isRefused = answer.reason === "not_paired" || answer.reason === "game_master_only";
  if (answer.ok) hear(answer.snapshot);
  else if (answer.reason !== "no_answer") {
    refusal = answer.text;
    draw();
  }
}

// An undone change shows at once, others after some seconds.
follow(({ undo }) => undo || learn());
learn();
setInterval(() => document.hidden || learn(), AGAIN_MS);
