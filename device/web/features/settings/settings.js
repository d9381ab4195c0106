// @ts-check
// The settings page. The tray lists settings and choices; each change is saved at once.

import { ask } from "../../ui/lib/api.js";
import { byId, valueOf } from "../../ui/lib/dom.js";
import { kept } from "../../ui/lib/kept.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { isFound } from "../../ui/lib/settings-fields.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { learnPhones, letInKey } from "../../ui/components/let-in.js";
import { follow, say, send } from "../../ui/components/page.js";
import { settingRow, settingsDesk } from "../../ui/components/setting-row.js";
import { thisScreen } from "../../ui/components/this-screen.js";
import { loadUpdate } from "./components/update.js";

/** @import { Phones, Settings } from "../../ui/lib/types.js" */

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
  if (await send("POST", "/api/restart")) say(t("page.settings.restarting"));
}

/** @param {Settings} all */
function waiting({ restart: { length: count }, may_change: mayChange }) {
  if (!count) return nothing;
  return html`<section class="card restart" role="status" data-testid="restart"><p>${t("page.settings.restart_for", { count })}</p>
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
    html`<div class="row"><input type="search" data-testid="search" placeholder=${t("page.settings.search")} aria-label=${t("page.settings.search")} @input=${search}>${letInKey(phones, say)}</div>${waiting(settings)}`,
    byId("search"),
  );
  byId("screen").hidden = byId("update").hidden = words !== "";
  render(
    html`${groups.map((group) => html`<details class="card search-card" data-group=${group.name} ?open=${words !== ""}><summary><h2>${group.title}</h2></summary>${group.settings.map((one) => settingRow(one, mayChange, desk))}</details>`)}
      ${groups.length ? nothing : html`<p class="quiet" role="status">${t("page.settings.not_found")}</p>`}
      <p class="quiet where">${t(mayChange ? "page.settings.where" : "page.settings.read_only", { file })}</p>`,
    root,
  );
}

async function load() {
  const [answer, seen] = await Promise.all([ask("GET", "/api/settings"), learnPhones()]);
  phones = seen;
  if (answer.ok) show(answer.snapshot);
  else say(answer.reason === "not_found" ? t("page.settings.none") : answer.text);
  if (settings?.may_change) loadUpdate();
}

const aloud = onDemand(() => import("../../ui/components/aloud.js"));
if (kept("aloud")) aloud.use(() => {});
thisScreen((target) => aloud.use(({ choose }) => choose(target)));

// Again with each connection: a restarted tray runs with the values of the file.
follow((_, isFirst) => isFirst && load());
