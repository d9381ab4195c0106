// @ts-check
// The settings page. The tray lists settings and choices; each change is saved at once.

import { ask } from "../../ui/lib/api.js";
import { byId, valueOf } from "../../ui/lib/dom.js";
import { STEPS } from "../../ui/lib/first-start.js";
import { isFound } from "../../ui/lib/settings-fields.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { learnPhones, letInKey } from "../../ui/components/let-in.js";
import { follow, say } from "../../ui/components/page.js";
import { settingRow, settingsDesk } from "../../ui/components/setting-row.js";

/** @import { Phones } from "../../ui/lib/types.js" */
/** @import { Settings } from "../../ui/components/setting-row.js" */

const root = byId("settings");
/** @type {Settings | null} */
let settings = null;
/** @type {Phones | null} */
let phones = null;
let words = "";

/** @param {Settings} latest */
function show(latest) {
  settings = latest;
  draw();
}
const desk = settingsDesk((setting, value) => ask("PUT", `/api/settings/${setting.key}`, { value }), show, draw);

async function restart() {
  const answer = await ask("POST", "/api/restart");
  say(answer.ok ? t("page.settings.restarting") : answer.text);
}

/** @param {Settings} all */
function waiting({ restart: keys, groups, may_change: mayChange }) {
  if (!keys.length) return nothing;
  const titles = groups
    .flatMap((group) => group.settings)
    .filter((one) => keys.includes(one.key))
    .map((one) => one.title);
  return html`<section class="card restart" role="status" data-testid="restart"><p>${t("page.settings.restart_for", { names: titles })}</p>
    ${mayChange ? html`<button type="button" class="tool go" data-testid="restart-now" @click=${restart}>${t("page.settings.restart")}</button>` : nothing}</section>`;
}

/** @param {Event} event */
function search(event) {
  words = valueOf(event).trim();
  draw();
}

function draw() {
  if (!settings) return;
  const { file, may_change: mayChange } = settings;
  const groups = settings.groups
    .map((group) => ({ ...group, settings: group.settings.filter((one) => isFound(one, words)) }))
    .filter((group) => group.settings.length);
  render(
    html`${waiting(settings)}
      <div class="row">${letInKey(phones, say)}<input type="search" data-testid="search" placeholder=${t("page.settings.search")} aria-label=${t("page.settings.search")} @input=${search}></div>
      ${groups.map((group) => html`<section class="card" data-group=${group.name}><h2>${group.title}</h2>${group.settings.map((one) => settingRow(one, mayChange, desk))}</section>`)}
      ${words ? nothing : html`<section class="card"><h2>${t("page.start.heading")}</h2><div class="keys-row">${STEPS.map((step) => html`<a class="tool" href="/start?step=${step}">${t(`page.start.short.${step}`)}</a>`)}</div></section>`}
      ${groups.length ? nothing : html`<p class="quiet" role="status">${t("page.settings.not_found")}</p>`}
      <p class="quiet where">${t(mayChange ? "page.settings.where" : "page.settings.read_only", { file })}</p>`,
    root,
  );
}

async function load() {
  const [answer, seen] = await Promise.all([ask("GET", "/api/settings"), learnPhones()]);
  phones = seen;
  if (answer.ok) show(/** @type {any} */ (answer.snapshot));
  else if (answer.reason === "not_found") say(t("page.settings.none"));
  else say(answer.text);
}

// Again with each connection: a restarted tray runs with the values of the file.
follow((_, isFirst) => {
  if (isFirst) load();
});
