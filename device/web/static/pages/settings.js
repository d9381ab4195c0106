// @ts-check
// Settings that a table may touch. The tray says which there are and what each may be; each is kept as soon as it is changed.

import { ask } from "../lib/api.js";
import { byId } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { follow, say } from "../components/page.js";
import { settingRow, settingsDesk } from "../components/setting-row.js";

/** @import { Settings } from "../components/setting-row.js" */

const root = byId("settings");
/** @type {Settings | null} */
let settings = null;

/** @param {Settings} latest */
function show(latest) {
  settings = latest;
  draw();
}
const desk = settingsDesk(show, draw);

/** @param {Settings} all */
function waiting({ restart, groups }) {
  if (!restart.length) return nothing;
  const titles = groups.flatMap((group) => group.settings).filter((one) => restart.includes(one.key)).map((one) => one.title);
  return html`<section class="card restart" role="status" data-testid="restart"><h2>${t("page.settings.restart")}</h2><p>${t("page.settings.restart_for", { names: titles })}</p><p class="quiet">${t("page.settings.restart_how")}</p></section>`;
}

function draw() {
  if (!settings) return;
  const { file, may_change: mayChange, groups } = settings;
  render(
    html`<p class="quiet where">${t(mayChange ? "page.settings.where" : "page.settings.read_only", { file })}</p>
      ${waiting(settings)}
      ${groups.map((group) => html`<section class="card" data-group=${group.name}><h2>${group.title}</h2>${group.settings.map((one) => settingRow(one, mayChange, desk))}</section>`)}`,
    root,
  );
}

async function load() {
  const answer = await ask("GET", "/api/settings");
  if (answer.ok) show(/** @type {any} */ (answer.snapshot));
  else if (answer.reason === "not_found") say(t("page.settings.none"));
  else say(answer.text);
}

// Anew with each connection: a tray that was started again runs with what the file says.
follow((_, isFirst) => {
  if (isFirst) load();
});
