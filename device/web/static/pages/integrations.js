// @ts-check
// What other programs are told: how each is, what is set, and a button that sends a test. Secrets go in and never come out.

import { ask } from "../lib/api.js";
import { byId, valueOf } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { follow, say } from "../components/page.js";
import { fieldsOf, linesOf, wanted } from "../lib/integrations.js";

/** @import { Draft, Field, Integration } from "../lib/integrations.js" */

// A test waits for whoever does not answer, and says so.
const TEST_MS = 25000;
const LOOK_MS = 2000;

const root = byId("integrations");
/** @type {Integration[]} */
let shown = [];
let mayChange = false;
/** What was typed and is not saved. @type {Record<string, Draft>} */
const drafts = {};
/** What came of the last test. @type {Record<string, { ok: boolean, text: string } | "under_way">} */
const tests = {};

/**
 * @param {Integration} one
 * @param {Field} field
 */
function control(one, field) {
  const draft = (drafts[one.name] ??= {});
  const id = `${one.name}-${field.key}`;
  /** @param {unknown} value */
  const put = (value) => {
    draft[field.key] = value;
    draw();
  };
  const label = t(`page.integrations.field.${one.name}.${field.key}`);
  const value = draft[field.key] ?? one.settings?.[field.key];
  if (field.kind === "switch") {
    return html`<label class="set switch"><input type="checkbox" id=${id} .checked=${value === true} @change=${(/** @type {Event} */ event) => put(/** @type {HTMLInputElement} */ (event.target).checked)}><span>${label}</span></label>`;
  }
  const isSecret = field.kind === "secret";
  const isKept = isSecret && one.secrets?.[field.key] && draft[field.key] === undefined;
  return html`<div class="held"><label class="set"><span>${label}</span><input
      id=${id} type=${isSecret ? "password" : "text"} inputmode=${field.kind === "number" ? "numeric" : "text"} maxlength="2000"
      autocomplete="off" spellcheck="false" placeholder=${isKept ? t("page.integrations.kept") : ""}
      .value=${String(draft[field.key] ?? (isSecret ? "" : (value ?? "")))} @input=${(/** @type {Event} */ event) => put(valueOf(event))}></label>
    ${isKept ? html`<button type="button" class="tool" data-remove=${id} aria-label=${t("page.integrations.remove_what", { what: label })} @click=${() => put("")}>${t("page.integrations.remove")}</button>` : nothing}</div>`;
}

/** @param {Integration} one */
function card(one) {
  const draft = drafts[one.name] ?? {};
  const isChanged = Object.keys(draft).length > 0;
  const test = tests[one.name];
  const state = !one.on ? "off" : one.last_error ? "failing" : one.connected === false ? "connecting" : "on";
  return html`<section class="card" data-integration=${one.name} data-state=${state} aria-label=${t(`page.integrations.name.${one.name}`)}>
    <div class="row"><h2>${t(`page.integrations.name.${one.name}`)}</h2><span class="badge" data-testid="badge">${t(`page.integrations.state.${state}`)}</span></div>
    <p class="quiet">${t(`page.integrations.about.${one.name}`)}</p>
    <ul class="report-lines">${linesOf(one).map(([kind, text]) => html`<li data-line=${kind}>${text}</li>`)}</ul>
    ${mayChange
      ? html`<div class="sets">${fieldsOf(one.name).map((field) => control(one, field))}</div>
        <div class="row">
          <button type="button" class="tool go" data-testid="save" ?disabled=${!isChanged} @click=${() => save(one)}>${t("page.integrations.save")}</button>
          <button type="button" class="tool" data-testid="test" ?disabled=${!one.on || isChanged || test === "under_way"} @click=${() => tryOut(one)}>${t("page.integrations.test")}</button>
          ${one.source === "page" ? html`<button type="button" class="tool" data-testid="forget" @click=${() => forget(one)}>${t("page.integrations.forget")}</button>` : nothing}
        </div>
        <p class="came" role="status" data-testid="came" data-ok=${typeof test === "object" ? String(test.ok) : nothing}>${test === "under_way" ? t("page.integrations.testing") : (test?.text ?? "")}</p>`
      : nothing}
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
  if (answer.ok) keep(/** @type {any} */ (answer.snapshot));
}

/** @param {Integration} one */
async function save(one) {
  const { settings, wrong } = wanted(one.name, drafts[one.name] ?? {});
  if (wrong) return say(t("page.integrations.no_number", { what: t(`page.integrations.field.${one.name}.${wrong}`) }));
  const answer = await ask("PUT", `/api/integrations/${one.name}`, { settings });
  if (!answer.ok) return say(answer.text);
  delete drafts[one.name];
  delete tests[one.name];
  keep(/** @type {any} */ (answer.snapshot));
}

/** @param {Integration} one */
async function forget(one) {
  const answer = await ask("DELETE", `/api/integrations/${one.name}`);
  if (!answer.ok) return say(answer.text);
  delete drafts[one.name];
  keep(/** @type {any} */ (answer.snapshot));
}

/** @param {Integration} one */
async function tryOut(one) {
  tests[one.name] = "under_way";
  draw();
  const answer = await ask("POST", `/api/integrations/${one.name}/test`, {}, TEST_MS);
  tests[one.name] = answer.ok ? /** @type {any} */ (answer.snapshot) : { ok: false, text: answer.text };
  await load();
  draw();
}

follow((_, isFirst) => {
  if (isFirst) load();
});
setInterval(() => {
  if (!document.hidden) load();
}, LOOK_MS);
