// @ts-check
// The game master's page: current and waiting rolls, roll requests, every sheet, the newest rolls.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { learnIdentity, saveIdentity } from "../../ui/lib/identity.js";
import { keepShell } from "../../ui/lib/offline.js";
import { byVersion } from "../../ui/lib/newest.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { isMaster } from "../../ui/lib/player.js";
import { tableBook } from "../../ui/lib/table-data.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { numberOf } from "../../ui/lib/words.js";
import { byRoll, historyRow } from "../../ui/components/history.js";
import { learnPhones } from "../../ui/components/let-in.js";
import { follow, say } from "../../ui/components/page.js";
import { pinBox } from "./components/pin-box.js";
import { renderSheet } from "../../ui/components/sheet.js";
import { aboutWords, handOf, showKeys, sidesOf, waitingRolls } from "../../ui/components/turns.js";

/** @import { Tapped } from "../../ui/lib/skill-roll.js" */
/** @import { HistoryRow, Identity, Sheet, Snapshot } from "../../ui/lib/types.js" */

const ROLLS = 10;
const AGAIN_MS = 15_000;

const book = tableBook(say);
/** @type {Identity | null} */
let identity = null;
/** @type {Snapshot} */
let snapshot;
/** @type {HistoryRow[]} */
let rolls = [];
/** @type {string[]} */
let players = [];
/** The sheet of each player, of the rules played. @type {Map<string, number>} */
let holders = new Map();
/** @type {number | null} */
let shown = null;
let refusal = "";
const sheetPlace = element(html`<div id="sheet"></div>`);
const asking = onDemand(async () =>
  (await import("../../ui/components/ask-roll.js")).askPanel(book, draw, (owner) =>
    book.sheets.sheets.find(({ id }) => id === holders.get(owner)),
  ),
);
const whose = onDemand(async () => (await import("../../ui/components/whose.js")).whosePanel());
const openWhose = () =>
  whose.use((part) => part.open(snapshot.roll ?? 0, snapshot.system, snapshot.asked?.owner ?? null));

// After the PIN, stay on this page.
const box = pinBox((answer) => {
  refusal = answer.ok ? "" : answer.text;
  if (answer.ok) identity = saveIdentity(answer.snapshot);
  learn();
}, draw);

/** @param {string} player @param {[Sheet, Tapped]} [from] */
const askFor = (player, from) => asking.use((part) => part.open(snapshot, player, from));

// A tap on a skill requests its roll from the sheet's player, else from its namesake.
/** @param {Sheet} sheet @param {Tapped} tapped */
const askSkill = (sheet, tapped) =>
  askFor([...holders].find(([, id]) => id === sheet.id)?.[0] ?? sheet.title, [sheet, tapped]);

function queueCard() {
  const {
    asked: request,
    take = [],
    asked_next: waiting = [],
    together = [],
    state,
    outcome,
    lines = [],
    colours,
  } = snapshot;
  const toShow = showKeys(snapshot, book);
  const now = request ? request.text : t(outcome ? "page.turn.somebody" : "page.turn.nobody");
  const about = request ? aboutWords(request) : "";
  const sides = sidesOf(together);
  return html`<section class="card" aria-labelledby="turn-title">
    <h2 id="turn-title">${t("page.gm.turn")}</h2>
    <p class="now" role="status" data-testid="now">${now}${about ? html` <span class="quiet" data-testid="now-about">${about}</span>` : nothing}</p>
    ${outcome ? html`<p data-testid="now-result"><b>${numberOf(outcome).join(" ")}</b></p>` : nothing}
    ${lines.filter(({ about }) => about === "asked").map(({ text }) => html`<p data-testid="now-request">${text}</p>`)}
    ${sides ? html`<p class="quiet" data-testid="now-sides">${sides}</p>` : nothing}
    ${toShow.length ? html`<div class="row">${toShow}</div>` : nothing}
    ${request || outcome ? html`<div class="row"><button type="button" class="tool" aria-haspopup="dialog" data-testid="whose-button" @click=${openWhose}>${t("page.whose.title")}</button></div>` : nothing}
    ${request && state === "empty" ? html`<div class="row">${handOf(take, colours)}<button type="button" class="tool" data-testid="drop-now" @click=${() => book.send("DELETE", `/api/asked/${request.id}`)}>${t("page.turn.drop")}</button></div>` : nothing}
    ${waiting.length ? html`<div class="waiting">${waitingRolls(waiting, snapshot, book)}</div>` : nothing}
    <h3>${t("page.turn.ask")}</h3>
    <div class="keys-row">${players.map((name) => html`<button type="button" class="key" data-testid="ask-player" @click=${() => askFor(name)}>${name}</button>`)}<button type="button" class="key" data-testid="ask-anybody" @click=${() => askFor("")}>${t("page.gm.anybody")}</button></div>
  </section>`;
}

function rollsCard() {
  return html`<section class="card" aria-labelledby="rolls-title"><h2 id="rolls-title">${t("page.table.earlier")}</h2>
    ${rolls.length ? html`<ol class="own-rolls">${byRoll(rolls).map((row) => historyRow(row, snapshot.colours))}</ol>` : html`<p class="quiet">${t("page.row.none")}</p>`}</section>`;
}

function sheetsCard() {
  const { sheets, chosen } = book.sheets;
  if (!sheets.some((one) => one.id === shown)) shown = chosen ?? sheets[0]?.id ?? null;
  const show = (/** @type {number} */ id) => {
    shown = id;
    draw();
  };
  return html`<h2 class="part">${t("page.table.sheets")}</h2>
    <div class="keys-row" role="group" aria-label=${t("page.sheets.characters")}>${sheets.map(({ id, title }) => html`<button type="button" class="key" data-sheet=${id} aria-pressed=${id === shown} @click=${() => show(id)}>${title}</button>`)}<a class="tool link" href="/sheets">${t("page.sheets.another")}</a></div>`;
}

function draw() {
  if (!snapshot || !identity) return;
  if (!isMaster(identity.role)) {
    const isPlayers = identity.role === "player";
    render(
      html`${isPlayers ? html`<section class="card"><p>${t("page.gm.not_yours")}</p></section>` : nothing}${box.card(refusal)}`,
      byId("gm"),
    );
    return;
  }
  render(html`${queueCard()}${rollsCard()}${sheetsCard()}${sheetPlace}`, byId("gm"));
  const sheet = book.sheets.sheets.find((one) => one.id === shown);
  renderSheet(sheetPlace, { sheet, systems: snapshot.systems, book, onRoll: askSkill, mayRemove: true });
  asking.now?.update(snapshot);
}

const newestRolls = byVersion(() => ask("GET", `/api/rolls?limit=${ROLLS}`));
async function learnRolls() {
  const latest = await newestRolls(snapshot.log_revision);
  if (!latest) return;
  rolls = latest.rolls;
  draw();
}

async function learn() {
  identity = (await learnIdentity()) ?? identity;
  draw();
  if (!identity || !isMaster(identity.role)) return;
  const phones = (await learnPhones())?.phones ?? [];
  const { asked: request, asked_next: waiting = [], system } = snapshot ?? {};
  const playing = book.sheets.sheets.filter((one) => one.system === system);
  holders = new Map(
    phones.flatMap(({ name, sheets }) =>
      sheets.filter(({ id }) => playing.some((one) => one.id === id)).map(({ id }) => [name ?? "", id]),
    ),
  );
  // Players with paired phones; without PINs, players of recent requests.
  const known = [...phones.map(({ name }) => name), ...[request, ...waiting, ...rolls].map((one) => one?.owner)];
  players = [...new Set(known.flatMap((name) => (name ? [name] : [])))].sort();
  draw();
}

book.onNews(draw);
follow((latest) => {
  snapshot = latest;
  book.update(latest);
  draw();
  learnRolls();
}, true);
learn();
keepShell();
document.addEventListener("visibilitychange", () => document.hidden || learn());
setInterval(() => document.hidden || learn(), AGAIN_MS);
