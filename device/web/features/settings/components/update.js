// @ts-check
// The version on the settings page: look for a newer one, see what it changes, install it.

import { ask } from "../../../ui/lib/api.js";
import { byId } from "../../../ui/lib/dom.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { send } from "../../../ui/components/page.js";

/** @typedef {{ state: string, version: string, changes: Record<string, string[]> | null, code: string, detail: string }} Latest */
/** @typedef {{ version: string, can_look: boolean, latest: Latest }} Update */

const POLL_MS = 2000;
const BUSY = ["looking", "installing"];

/** @type {Update | null} */
let update = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

/** @param {string | null} version */
async function wish(version) {
  if (!(await send("POST", "/api/update", { version })) || !update) return;
  update.latest = { ...update.latest, state: version ? "installing" : "looking" };
  draw();
}

/** @param {Latest} latest */
function news({ state, version, changes, code, detail }) {
  if (state === "none") return nothing;
  if (state === "failed")
    return html`<p role="alert" data-testid="update-failed">${t(`page.settings.update.failed.${code}`)}</p><p class="quiet">${detail}</p>`;
  return html`<p role="status" data-testid="update-state">${t(`page.settings.update.${state}`, { version })}</p>
    ${state === "found" ? Object.entries(changes ?? {}).map(([kind, lines]) => html`<h3>${kind}</h3><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`) : nothing}`;
}

function draw() {
  if (!update) return;
  const { version, can_look: canLook, latest } = update;
  const isBusy = BUSY.includes(latest.state);
  clearTimeout(next);
  if (isBusy) next = setTimeout(loadUpdate, POLL_MS);
  const keys = html`<div class="row">
    ${latest.state === "found" ? html`<button type="button" class="tool go" data-testid="update-install" @click=${() => wish(latest.version)}>${t("page.settings.update.install", { version: latest.version })}</button>` : nothing}
    <button type="button" class="tool" data-testid="update-look" @click=${() => wish(null)}>${t("page.settings.update.look")}</button></div>`;
  render(
    html`<section class="card" data-testid="update"><h2>PushTray ${version}</h2>
      ${canLook ? news(latest) : html`<p class="quiet">${t("page.settings.update.off")}</p>`}
      ${canLook && !isBusy ? keys : nothing}
    </section>`,
    byId("update"),
  );
}

/** Shows the version where the tray tells it: to a caller who may change settings. */
export async function loadUpdate() {
  const answer = await ask("GET", "/api/update");
  update = answer.snapshot ?? update;
  if (!answer.ok && update && BUSY.includes(update.latest.state)) next = setTimeout(loadUpdate, POLL_MS);
  if (answer.ok) draw();
}
