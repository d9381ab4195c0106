// @ts-check
// The game master's page: current and waiting rolls, roll requests, every sheet, the newest rolls.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { learnIdentity, saveIdentity } from "../../ui/lib/identity.js";
import { keepShell } from "../../ui/lib/offline.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { tableBook } from "../../ui/lib/table-data.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { numberOf } from "../../ui/lib/words.js";
import { byRoll, historyRow } from "../../ui/components/history.js";
import { follow, say } from "../../ui/components/page.js";
import { pinBox } from "./components/pin-box.js";
import { renderSheet } from "../../ui/components/sheet.js";
import { aboutWords, handOf, showKeys, sidesOf } from "../../ui/components/turns.js";

/** @import { Tapped } from "../../ui/lib/skill-roll.js" */
/** @import { AskedRoll, HistoryRow, Identity, Phone, Sheet, Snapshot } from "../../ui/lib/types.js" */

const ROLLS = 10;
const AGAIN_MS = 15_000;

const book = tableBook(say);
/** @type {Identity | null} */
let identity = null;
/** @type {Snapshot | null} */
let snapshot = null;
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

const whose = onDemand(async () =>
  (await import("../../ui/components/whose.js")).whosePanel(say, () => (lastAsked = "")),
);
const openWhose = () =>
  whose.use((part) => part.open(snapshot?.roll ?? 0, snapshot?.system ?? "", snapshot?.asked?.owner ?? null));

// After the PIN, stay on this page.
const box = pinBox((answer) => {
  refusal = answer.ok ? "" : answer.text;
  if (answer.ok) identity = saveIdentity(answer.snapshot);
  learn();
}, draw);

/** @param {string} player */
function askFor(player) {
  const latest = snapshot;
  if (latest) asking.use((part) => part.open(latest, player));
}

/**
 * A tap on a skill requests its roll from the sheet's player, else from its namesake.
 * @param {Sheet} sheet
 * @param {Tapped} tapped
 */
function askSkill(sheet, tapped) {
  const latest = snapshot;
  const holder = [...holders].find(([, id]) => id === sheet.id)?.[0] ?? sheet.title;
  if (latest) asking.use((part) => part.open(latest, holder, [sheet, tapped]));
}

/** @param {AskedRoll} asked */
function askedRow(asked) {
  const words = asked.text;
  const about = aboutWords(asked);
  return html`<li><span>${words}${about ? html` <span class="quiet">${about}</span>` : nothing}</span>${handOf(asked.take ?? [], snapshot?.colours)}<button type="button" class="tool" data-testid="drop-asked" aria-label=${t("page.turn.drop_one", { asked: words })} @click=${() => book.send("DELETE", `/api/asked/${asked.id}`)}>${t("page.turn.drop")}</button></li>`;
}

/** @param {Snapshot} latest */
function queueCard(latest) {
  const { asked, take, asked_next: waiting = [], together = [], state, outcome } = latest;
  const toShow = showKeys(latest, book);
  const open = asked && state === "empty";
  const now = asked ? asked.text : t(outcome ? "page.turn.somebody" : "page.turn.nobody");
  const about = asked ? aboutWords(asked) : "";
  const result = outcome ? numberOf(outcome).join(" ") : "";
  const sides = sidesOf(together);
  return html`<section class="card" aria-labelledby="turn-title">
    <h2 id="turn-title">${t("page.gm.turn")}</h2>
    <p class="now" role="status" data-testid="now">${now}${about ? html` <span class="quiet" data-testid="now-about">${about}</span>` : nothing}</p>
    ${result ? html`<p data-testid="now-result"><b>${result}</b></p>` : nothing}
    ${(latest.lines ?? []).filter(({ about }) => about === "asked").map(({ text }) => html`<p data-testid="now-asked">${text}</p>`)}
    ${sides ? html`<p class="quiet" data-testid="now-sides">${sides}</p>` : nothing}
    ${toShow.length ? html`<div class="row">${toShow}</div>` : nothing}
    ${asked || outcome ? html`<div class="row"><button type="button" class="tool" aria-haspopup="dialog" data-testid="whose-button" @click=${openWhose}>${t("page.whose.title")}</button></div>` : nothing}
    ${open ? html`<div class="row">${handOf(take ?? [], snapshot?.colours)}<button type="button" class="tool" data-testid="drop-now" @click=${() => book.send("DELETE", `/api/asked/${asked.id}`)}>${t("page.turn.drop")}</button></div>` : nothing}
    ${waiting.length ? html`<div class="waiting"><h3>${t("page.turn.waiting")}</h3><ol>${waiting.map(askedRow)}</ol></div>` : nothing}
    <h3>${t("page.turn.ask")}</h3>
    <div class="keys-row">${players.map((name) => html`<button type="button" class="key" data-testid="ask-player" @click=${() => askFor(name)}>${name}</button>`)}<button type="button" class="key" data-testid="ask-anybody" @click=${() => askFor("")}>${t("page.gm.anybody")}</button></div>
  </section>`;
}

function sheetsCard() {
  const { sheets, chosen } = book.sheets;
  if (!sheets.some((one) => one.id === shown)) shown = chosen ?? sheets[0]?.id ?? null;
  const show = (/** @type {Sheet} */ { id }) => {
    shown = id;
    draw();
  };
  return html`<h2 class="part">${t("page.table.sheets")}</h2>
    <div class="keys-row" role="group" aria-label=${t("page.sheets.characters")}>${sheets.map((one) => html`<button type="button" class="key" data-sheet=${one.id} aria-pressed=${one.id === shown} @click=${() => show(one)}>${one.title}</button>`)}<a class="tool link" href="/sheets">${t("page.sheets.another")}</a></div>`;
}

function rollsCard() {
  return html`<section class="card" aria-labelledby="rolls-title"><h2 id="rolls-title">${t("page.table.earlier")}</h2>
    ${rolls.length ? html`<ol class="own-rolls">${byRoll(rolls).map((row) => historyRow(row, snapshot?.colours))}</ol>` : html`<p class="quiet">${t("page.row.none")}</p>`}</section>`;
}

function draw() {
  if (!snapshot || !identity) return;
  const isMaster = identity.role === "table" || identity.role === "game_master";
  if (identity.role === "guest") return render(box.card(refusal), byId("gm"));
  if (!isMaster) {
    render(html`<section class="card"><p>${t("page.gm.not_yours")}</p></section>${box.card(refusal)}`, byId("gm"));
    return;
  }
  render(html`${queueCard(snapshot)}${rollsCard()}${sheetsCard()}${sheetPlace}`, byId("gm"));
  const sheet = book.sheets.sheets.find((one) => one.id === shown);
  const system = snapshot.systems?.find((one) => one.id === sheet?.system);
  renderSheet(sheetPlace, {
    sheet,
    system,
    inUse: sheet?.id === book.sheets.chosen,
    book,
    onRoll: askSkill,
    onRemove: remove,
  });
  asking.now?.update(snapshot);
}

/** @param {Sheet} sheet */
const remove = ({ id }) => book.send("DELETE", `/api/sheets/${id}`);

let lastAsked = "";
async function learnRolls() {
  const key = JSON.stringify([snapshot?.state, snapshot?.roll, snapshot?.outcome, snapshot?.unshown]);
  if (key === lastAsked || snapshot?.state === "rolling") return;
  lastAsked = key;
  const answer = await ask("GET", `/api/rolls?limit=${ROLLS}`);
  if (answer.ok) rolls = answer.snapshot.rolls;
  else lastAsked = "";
  draw();
}

async function learn() {
  identity = (await learnIdentity()) ?? identity;
  draw();
  if (identity?.role === "table" || identity?.role === "game_master") {
    const answer = await ask("GET", "/api/phones");
    const phones = /** @type {Phone[]} */ (answer.ok ? answer.snapshot.phones : []);
    holders = new Map(
      phones.flatMap(({ name, sheets }) =>
        sheets
          .filter(({ id }) => book.sheets.sheets.find((one) => one.id === id)?.system === snapshot?.system)
          .map(({ id }) => [name ?? "", id]),
      ),
    );
    // Players with paired phones; without PINs, players of recent requests.
    const named = phones.map((one) => one.name);
    const known = [
      ...named,
      snapshot?.asked?.owner,
      ...(snapshot?.asked_next ?? []).map((one) => one.owner),
      ...rolls.map((row) => row.owner),
    ];
    players = [...new Set(known.flatMap((name) => (name ? [name] : [])))].sort();
    draw();
  }
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
