// @ts-check
// Integrations: status, settings, and a button that sends a test. Secrets are write-only.

import { ask } from "../../ui/lib/api.js";
import { byId } from "../../ui/lib/dom.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { follow, send } from "../../ui/components/page.js";
import { settingRow, settingsDesk } from "../../ui/components/setting-row.js";
import { linesOf } from "./lib/integrations.js";

/** @import { Integration } from "../../ui/lib/types.js" */

// A test waits for the other side, and shows that.
const TEST_MS = 25000;
const LOOK_MS = 2000;

const root = byId("integrations");
/** @type {Integration[]} */
let shown = [];
let mayChange = false;
/** What came of the last test. @type {Record<string, { ok: boolean, text: string } | "under_way">} */
const tests = {};

const desk = settingsDesk(
  ({ key }, value) => {
    const [name, field] = key.split(".");
    return ask("PUT", `/api/integrations/${name}`, { settings: { [field]: value } });
  },
  keep,
  draw,
);

/** @param {Integration} one */
function card(one) {
  const test = tests[one.name];
  const form = one.form ?? [];
  const state = !one.on ? "off" : one.last_error ? "failing" : one.connected === false ? "connecting" : "on";
  return html`<section class="card" data-integration=${one.name} data-state=${state} aria-label=${one.title}>
    <div class="row"><h2>${one.title}</h2><span class="badge" data-testid="badge">${t(`page.integrations.state.${state}`)}</span></div>
    <p class="quiet">${one.about}</p>
    <ul class="report-lines">${linesOf(one).map(([kind, text]) => html`<li data-line=${kind}>${text}</li>`)}</ul>
    ${
      mayChange
        ? html`${form.map((setting) => settingRow(setting, true, desk))}
        <div class="row">
          <button type="button" class="tool" data-testid="test" ?disabled=${!one.on || test === "under_way"} @click=${() => tryOut(one)}>${t("page.integrations.test")}</button>
          ${form.some((setting) => setting.kept || setting.value !== null) ? html`<button type="button" class="tool" data-testid="forget" @click=${() => forget(one)}>${t("page.integrations.forget")}</button>` : nothing}
        </div>
        <p class="came" role="status" data-testid="came" data-ok=${typeof test === "object" ? String(test.ok) : nothing}>${test === "under_way" ? t("page.integrations.testing") : (test?.text ?? "")}</p>`
        : nothing
    }
  </section>`;
}

function draw() {
  render(
    html`<p class="quiet">${t(mayChange ? "page.integrations.how" : "page.integrations.only_look")}</p>${shown.map(card)}`,
    root,
  );
}

/** @param {{ may_change: boolean, integrations: Integration[] }} body */
function keep(body) {
  mayChange = body.may_change;
  shown = body.integrations;
  draw();
}

async function load() {
  const answer = await ask("GET", "/api/integrations");
  if (answer.ok) keep(answer.snapshot);
}

/** @param {Integration} one */
async function forget({ name }) {
  const body = await send("DELETE", `/api/integrations/${name}`);
  if (body) keep(body);
}

/** @param {Integration} one */
async function tryOut({ name }) {
  tests[name] = "under_way";
  draw();
  const answer = await ask("POST", `/api/integrations/${name}/test`, {}, TEST_MS);
  tests[name] = answer.ok ? answer.snapshot : { ok: false, text: answer.text };
  await load();
  draw();
}

follow((_, isFirst) => isFirst && load());
setInterval(() => document.hidden || load(), LOOK_MS);
