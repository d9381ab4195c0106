// @ts-check
// Every roll by evenings: search, print, export, delete; backup and restore.

import { ask } from "../../ui/lib/api.js";
import { byId, textField, valueOf } from "../../ui/lib/dom.js";
import { dayWords, timeWords, zone } from "../../ui/lib/moments.js";
import { byVersion, newest } from "../../ui/lib/newest.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { queryOf } from "./lib/remembered.js";
import { language, t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { copies } from "./components/copies.js";
import { follow, say, send } from "../../ui/components/page.js";
import { searchFields } from "./components/search-fields.js";
import { rollSummary } from "./components/roll-summary.js";

/** @import { Evening, Snapshot, RollSummary } from "../../ui/lib/types.js" */

/** @type {Snapshot | null} */
let snapshot = null;
/** @typedef {{ at: string, text: string, undone: boolean }} Change */
/** @type {{ evenings: Evening[], players: string[], rolls: number, left_out: number, changes: Change[] } | null} */
let known = null;
/** @type {{ rolls: RollSummary[], total: number, next_before: number | null }} */
let shown = { rolls: [], total: 0, next_before: null };

const MAX_NAMES = 4;
const SEPARATORS = ["comma", "semicolon", "tab"];
// The separator for spreadsheets in languages with a decimal comma.
let separator = (1.5).toLocaleString(language).includes(",") ? "semicolon" : "comma";

const fields = searchFields(() => find());
const name = textField(t("page.history.name"), undefined, "evening-name");
const backup = copies();
const whose = onDemand(async () => (await import("../../ui/components/whose.js")).whosePanel());
/** @param {RollSummary} roll */
const openWhose = (roll) => whose.use((part) => part.open(roll.roll, roll.system, roll.owner));

function chosenEvening() {
  const { evening } = fields.now();
  return known?.evenings.find((one) => one.id === evening) ?? null;
}

/** @param {Event} event */
function takeSeparator(event) {
  separator = valueOf(event);
  draw();
}

/** @param {Evening} evening */
function eveningName(evening) {
  const others = (known?.evenings ?? []).flatMap((one) => (one.id !== evening.id && one.name ? [one.name] : []));
  /** @param {string} taken */
  const take = async (taken) => {
    if (await send("PATCH", `/api/evenings/${evening.id}`, { name: taken })) say(t("page.history.named"));
  };
  return html`<div class="row">${name}<button type="button" class="tool" data-testid="keep-name" @click=${() => take(name.value)}>${t("page.history.save_name")}</button></div><div class="keys-row">${[...new Set(others)].slice(0, MAX_NAMES).map((one) => html`<button type="button" class="key" data-testid="earlier-name" @click=${() => take(one)}>${one}</button>`)}</div>`;
}

/** @param {Evening[]} evenings */
function eveningTools([newest]) {
  const chosen = chosenEvening();
  const evening = chosen ?? newest;
  const end = () => send("POST", "/api/evenings/end");
  return html`<div class="row">
      ${evening ? html`<a class="tool link" data-testid="print" href=${`/story?evening=${evening.id}`}>${t("page.history.print")}</a>` : nothing}
      <a class="tool link" href=${`/api/story.csv${queryOf({ ...fields.now(), separator })}`} download>${t("page.history.csv")}</a>
      <select data-testid="separator" aria-label=${t("page.history.separator")} @change=${takeSeparator}>${SEPARATORS.map((one) => html`<option value=${one} ?selected=${one === separator}>${t(`page.history.separators.${one}`)}</option>`)}</select>
      <a class="tool link" href=${`/api/story.jsonl${queryOf(fields.now())}`} download>${t("page.history.jsonl")}</a>
      ${newest && !newest.over ? html`<button type="button" class="tool" data-testid="end-evening" @click=${end}>${t("page.history.end")}</button>` : nothing}
    </div>
    ${chosen ? eveningName(chosen) : nothing}`;
}

/** @param {Change} change */
const changeLine = ({ at, text, undone }) =>
  html`<li>${dayWords(at)} ${timeWords(at)} ${text}${undone ? html` <em>${t("page.history.undone")}</em>` : nothing}</li>`;

/** @param {number} all rolls that there are */
function found(all) {
  const { rolls, total, next_before: next } = shown;
  if (!all) return html`<p class="quiet" data-testid="no-rolls">${t("page.history.none")}</p>`;
  return html`<h2 data-testid="count">${total === all ? t("page.history.count", { count: total }) : t("page.history.count_of", { count: total, total: all })}</h2>
    ${total === 0 ? html`<p class="quiet">${t("page.history.nothing")}</p>` : nothing}
    <ol class="roll-summaries">${rolls.map((roll) => rollSummary(roll, snapshot?.colours, forget, openWhose))}</ol>
    ${next === null ? nothing : html`<div class="row"><button type="button" class="tool" data-testid="more" @click=${() => find(next)}>${t("page.history.more")}</button></div>`}`;
}

function draw() {
  const changes = known?.changes ?? [];
  const leftOut = known?.left_out;
  render(
    html`<details class="card search-card" data-testid="tools"><summary>${t("page.history.tools")}</summary>${fields.evening}${fields.form}<div>${known ? eveningTools(known.evenings) : nothing}</div>${backup}<div>${changes.length ? html`<details data-testid="changes"><summary>${t("page.history.changes")}</summary><ul>${changes.map(changeLine)}</ul></details>` : nothing}</div></details>
      <div>${
        known
          ? html`<section class="card" aria-label=${t("page.menu.history")}>
        ${found(known.rolls)}
        <p class="quiet" data-testid="zone">${t("page.history.zone", { zone })}</p>
        ${leftOut ? html`<p class="quiet" data-testid="left-out">${t("page.history.left_out", { count: leftOut })}</p>` : nothing}
      </section>`
          : nothing
      }</div>`,
    byId("history"),
  );
}
draw();

const newestEvenings = byVersion(() => ask("GET", "/api/evenings"));
/** @param {number} version of the log */
async function load(version) {
  const latest = await newestEvenings(version);
  if (!latest) return;
  known = latest;
  fields.show({ ...latest, systems: snapshot?.systems ?? [] });
  await find();
}

const newestRolls = newest((/** @type {number | null} */ before) =>
  send("GET", `/api/story${queryOf({ ...fields.now(), before })}`),
);
/** @param {number | null} [before] the roll before which the list goes on */
async function find(before = null) {
  const latest = await newestRolls(before);
  if (!latest) return;
  shown = { ...latest, rolls: [...(before === null ? [] : shown.rolls), ...latest.rolls] };
  // What is being typed stays while new rolls come in.
  const { id = null, name: kept = "" } = chosenEvening() ?? {};
  const now = JSON.stringify([id, kept]);
  if (now !== name.dataset.of) name.value = kept ?? "";
  name.dataset.of = now;
  draw();
}

/** @param {RollSummary} roll */
const forget = (roll) => send("DELETE", `/api/story/${roll.id}`);

follow((latest) => {
  snapshot = latest;
  load(latest.log_revision);
});
