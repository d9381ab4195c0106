// @ts-check
// Every roll by evenings: search, print, export, delete; backup and restore.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { dayWords, timeWords, zone } from "../../ui/lib/moments.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { queryOf } from "./lib/remembered.js";
import { language, t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { copies } from "./components/copies.js";
import { follow, say } from "../../ui/components/page.js";
import { searchFields } from "./components/search-fields.js";
import { rollSummary } from "./components/roll-summary.js";

/** @import { Evening, Snapshot, RollSummary } from "../../ui/lib/types.js" */

/** @type {Snapshot | null} */
let snapshot = null;
/** @typedef {{ at: string, text: string, undone: boolean }} Change */
/** @type {{ evenings: Evening[], players: string[], rolls: number, left_out: number, changes: Change[] } | null} */
let known = null;
/** @type {{ rolls: RollSummary[], total: number, next: number | null }} */
let shown = { rolls: [], total: 0, next: null };
let asked = 0;

const MAX_NAMES = 4;
const SEPARATORS = ["comma", "semicolon", "tab"];
// The separator for spreadsheets in languages with a decimal comma.
let separator = (1.5).toLocaleString(language).includes(",") ? "semicolon" : "comma";

/** @param {Event} event */
function takeSeparator({ target }) {
  separator = /** @type {HTMLSelectElement} */ (target).value;
  draw();
}

const fields = searchFields(() => find());
/** @type {HTMLInputElement} */
const name = element(
  html`<input type="text" maxlength="80" autocomplete="off" data-testid="evening-name" placeholder=${t("page.history.name")} aria-label=${t("page.history.name")}>`,
);
const eveningPlace = element(html`<div></div>`);
const list = element(html`<div></div>`);
const whose = onDemand(async () => (await import("../../ui/components/whose.js")).whosePanel(say, load));
const changesPlace = element(html`<div></div>`);

render(
  html`<details class="card search-card" data-testid="tools"><summary>${t("page.history.tools")}</summary>${fields.evening}${fields.form}${eveningPlace}${copies(say, load)}${changesPlace}</details>
    ${list}`,
  byId("history"),
);

function chosenEvening() {
  const { evening } = fields.now();
  return known?.evenings.find((one) => one.id === evening) ?? null;
}

/** @param {Change} change */
const change = ({ at, text, undone }) =>
  html`<li>${dayWords(at)} ${timeWords(at)} ${text}${undone ? html` <em>${t("page.history.undone")}</em>` : nothing}</li>`;

function draw() {
  if (!known) return;
  const chosen = chosenEvening();
  const newest = known.evenings[0] ?? null;
  const evening = chosen ?? newest;
  const query = queryOf(fields.now());
  render(
    html`<div class="row">
        ${evening === null ? nothing : html`<a class="tool link" data-testid="print" href=${`/story?evening=${evening.id}`}>${t("page.history.print")}</a>`}
        <a class="tool link" href=${`/api/story.csv${queryOf({ ...fields.now(), separator })}`} download>${t("page.history.csv")}</a>
        <select data-testid="separator" aria-label=${t("page.history.separator")} @change=${takeSeparator}>${SEPARATORS.map((one) => html`<option value=${one} ?selected=${one === separator}>${t(`page.history.separators.${one}`)}</option>`)}</select>
        <a class="tool link" href=${`/api/story.jsonl${query}`} download>${t("page.history.jsonl")}</a>
        ${newest === null || newest.over ? nothing : html`<button type="button" class="tool" data-testid="end-evening" @click=${end}>${t("page.history.end")}</button>`}
      </div>
      ${chosen === null ? nothing : html`<div class="row">${name}<button type="button" class="tool" data-testid="keep-name" @click=${() => keepName(chosen)}>${t("page.history.save_name")}</button></div><div class="keys-row">${earlierNames(chosen).map((one) => html`<button type="button" class="key" data-testid="earlier-name" @click=${() => takeName(chosen, one)}>${one}</button>`)}</div>`}`,
    eveningPlace,
  );
  render(
    html`<section class="card" aria-label=${t("page.menu.history")}>
      ${
        known.rolls === 0
          ? html`<p class="quiet" data-testid="no-rolls">${t("page.history.none")}</p>`
          : html`<h2 data-testid="count">${shown.total === known.rolls ? t("page.history.count", { count: shown.total }) : t("page.history.count_of", { count: shown.total, total: known.rolls })}</h2>
            ${shown.total === 0 ? html`<p class="quiet">${t("page.history.nothing")}</p>` : nothing}
            <ol class="roll-summaries">${shown.rolls.map((roll) => rollSummary(roll, snapshot?.colours, forget, openWhose))}</ol>
            ${shown.next === null ? nothing : html`<div class="row"><button type="button" class="tool" data-testid="more" @click=${more}>${t("page.history.more")}</button></div>`}`
      }
      <p class="quiet" data-testid="zone">${t("page.history.zone", { zone })}</p>
      ${known.left_out === 0 ? nothing : html`<p class="quiet" data-testid="left-out">${t("page.history.left_out", { count: known.left_out })}</p>`}
    </section>`,
    list,
  );
  render(
    known.changes.length === 0
      ? nothing
      : html`<details data-testid="changes"><summary>${t("page.history.changes")}</summary><ul>${known.changes.map(change)}</ul></details>`,
    changesPlace,
  );
}

async function load() {
  const answer = await ask("GET", "/api/evenings");
  if (!answer.ok) return say(answer.text);
  take(answer.snapshot);
  await find();
}

/** @param {any} latest */
function take(latest) {
  known = latest;
  fields.show({ evenings: latest.evenings, players: latest.players, systems: snapshot?.systems ?? [] });
}

async function find() {
  const turn = ++asked;
  const answer = await ask("GET", `/api/story${queryOf(fields.now())}`);
  if (turn !== asked) return;
  if (!answer.ok) return say(answer.text);
  shown = { rolls: answer.snapshot.rolls, total: answer.snapshot.total, next: answer.snapshot.next_before };
  showName();
  draw();
}

// What is being typed stays while new rolls come in.
function showName() {
  const { id = null, name: kept = "" } = chosenEvening() ?? {};
  const now = JSON.stringify([id, kept]);
  if (now !== name.dataset.of) name.value = kept ?? "";
  name.dataset.of = now;
}

async function more() {
  const turn = ++asked;
  const answer = await ask("GET", `/api/story${queryOf({ ...fields.now(), before: shown.next })}`);
  if (turn !== asked) return;
  if (!answer.ok) return say(answer.text);
  shown = {
    rolls: [...shown.rolls, ...answer.snapshot.rolls],
    total: answer.snapshot.total,
    next: answer.snapshot.next_before,
  };
  draw();
}

async function end() {
  const answer = await ask("POST", "/api/evenings/end");
  if (!answer.ok) return say(answer.text);
  take(answer.snapshot);
  draw();
}

/** @param {Evening} evening */
function keepName(evening) {
  return takeName(evening, name.value);
}

/** Names of the latest other evenings. @param {Evening} evening */
function earlierNames({ id }) {
  const others = (known?.evenings ?? []).flatMap((one) => (one.id !== id && one.name ? [one.name] : []));
  return [...new Set(others)].slice(0, MAX_NAMES);
}

/**
 * @param {Evening} evening
 * @param {string} taken
 */
async function takeName(evening, taken) {
  const answer = await ask("PATCH", `/api/evenings/${evening.id}`, { name: taken });
  if (!answer.ok) return say(answer.text);
  take(answer.snapshot);
  say(t("page.history.named"));
  draw();
}

/** @param {RollSummary} roll */
const openWhose = (roll) => whose.use((part) => part.open(roll.roll, roll.system, roll.owner));

/** @param {RollSummary} roll */
async function forget(roll) {
  const answer = await ask("DELETE", `/api/story/${roll.id}`);
  if (!answer.ok) return say(answer.text);
  await load();
}

/** @type {string | null} */
let heard = null;
follow((latest) => {
  snapshot = latest;
  // A new result or correction is a new row; a deletion may be undone.
  const now = JSON.stringify([
    latest.undo,
    latest.roll,
    latest.state,
    latest.outcome,
    latest.dice?.map((die) => [die.value, die.corrected]),
  ]);
  if (now !== heard) load();
  heard = now;
});
