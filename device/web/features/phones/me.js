// @ts-check
// A phone's page: PIN once, then the player's name, then that player's own things.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { learnIdentity, saveIdentity } from "../../ui/lib/identity.js";
import { isNews } from "../../ui/lib/drawing.js";
import { keepShell } from "../../ui/lib/offline.js";
import { byVersion } from "../../ui/lib/newest.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { isWhole, keepName, keepOwn, keepWhole, myName, myRole, mySheets } from "../../ui/lib/player.js";
import { tableBook, UNKNOWN } from "../../ui/lib/table-data.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { confirmed } from "../../ui/components/dialog.js";
import { ownRolls } from "./components/own-rolls.js";
import { follow, say } from "../../ui/components/page.js";
import { knownPlayers, nameKeys } from "../../ui/components/name-keys.js";
import { pinBox } from "./components/pin-box.js";
import { wakeCard } from "./components/wake-card.js";
import { beginFull, newSheetKeys, renderSheet } from "../../ui/components/sheet.js";

/** @import { Tapped } from "../../ui/lib/skill-roll.js" */
/** @import { Answer, Identity, OwnRolls, Sheet, Snapshot } from "../../ui/lib/types.js" */

const MAX_LETTERS = 40;
const ROLLS = 12;
const AGAIN_MS = 15_000;

const book = tableBook(say);
/** @type {Identity | null} */
let identity = null;
/** @type {Snapshot | null} */
let snapshot = null;
/** @type {OwnRolls | null} */
let rolls = null;
/** @type {number | null} */
let shown = null;
let shownFor = "";
let refusal = "";

/** @type {HTMLInputElement} */
const who = element(html`<input maxlength=${MAX_LETTERS} autocomplete="off" data-testid="my-name">`);
// A tap on a known name is all that a phone needs.
const names = nameKeys(takeName);
const sheetPlace = element(html`<div id="sheet"></div>`);
const isTable = () => identity?.role === "table";

/** Shows a refusal, or stores the tray's new answer about this phone. @param {Answer} answer */
function hear(answer) {
  refusal = answer.ok ? "" : answer.text;
  if (answer.ok) identity = saveIdentity(answer.snapshot);
  draw();
  if (answer.ok) learnRolls();
}

/** @param {object} wish */
const wish = async (wish) => hear(await ask("PUT", "/api/phones/me", wish));

const box = pinBox((answer) => {
  hear(answer);
  // A page that only a game master may change sent this device here.
  const back = new URLSearchParams(location.search).get("back") ?? "";
  if (answer.ok && identity?.role === "game_master" && /^\/[a-z]+$/.test(back)) location.assign(back);
}, draw);
// A tap on a skill prepares its roll and opens the tray's page.
const preparing = onDemand(async () =>
  (await import("../../ui/components/prepared-roll.js")).preparePanel(book, null, () => location.assign("/phone")),
);

/** @param {string} name */
function takeName(name) {
  if (!name) return;
  if (!isTable()) return wish({ name });
  keepName(name);
  draw();
  learnRolls();
}

function forgetName() {
  keepName("");
  keepOwn("table", []);
  rolls = null;
  draw();
}

/** @param {number} sheet */
function take(sheet) {
  if (!isTable()) return wish({ sheet });
  keepOwn("table", [...mySheets(), sheet]);
  draw();
}

/** @param {string | null} best */
async function makeSheet(best) {
  const made = await (isTable()
    ? book.send("POST", "/api/sheets", { title: myName(), system: snapshot?.system, best })
    : book.send("POST", "/api/phones/me/sheets", { best }));
  if (!made) return;
  beginFull(made.id);
  if (isTable()) take(made.id);
  else learn();
}

async function leave() {
  if (await confirmed(t("page.me.ask_leave"), t("page.me.leave"))) hear(await ask("DELETE", "/api/phones/me"));
}

function nameCard() {
  /** @param {SubmitEvent} event */
  const onName = (event) => {
    event.preventDefault();
    takeName(who.value.trim());
  };
  return html`<section class="card" aria-labelledby="who-title">
    <h2 id="who-title">${t("page.me.who")}</h2>
    <p>${t(isTable() ? "page.me.who_here" : "page.me.who_once")}</p>
    <form class="row" @submit=${onName}><label class="field">${t("page.me.name")} ${who}</label><button class="tool go" data-testid="name-go">${t("page.me.name_go")}</button></form>
    ${names.node}
    <p class="refusal" role="alert" data-testid="refusal">${refusal}</p>
  </section>`;
}

/** @param {string | undefined} system */
const rulesOf = (system) => snapshot?.systems?.find((one) => one.id === system)?.title ?? "";

/** @param {Sheet[]} own */
function sheetCard(own) {
  const system = snapshot?.system;
  const hasOne = own.some((one) => one.system === system);
  const free = book.sheets.sheets.filter(
    (one) => one.system === system && !mySheets().includes(one.id) && !identity?.taken.includes(one.id),
  );
  // A player's sheets for other rules have the same title, so the rules tell them apart.
  const nameOf = (/** @type {Sheet} */ { id, title, system }) =>
    own.some((one) => one.id !== id && one.title === title) ? rulesOf(system) : title;
  const show = (/** @type {number} */ id) => {
    shown = id;
    draw();
  };
  const keys =
    own.length > Number(hasOne)
      ? html`<div class="keys-row" role="group" aria-label=${t("page.me.sheets")}>${own.map((one) => html`<button type="button" class="key" aria-pressed=${one.id === shown} @click=${() => show(one.id)}>${nameOf(one)}</button>`)}</div>`
      : nothing;
  // Do not create a second sheet while the first request is pending.
  if (hasOne || book.sheets === UNKNOWN) return keys;
  const rules = rulesOf(system);
  return html`${keys}<section class="card" aria-labelledby="take-title">
    <h2 id="take-title">${t("page.me.choose_sheet")}</h2>
    <p class="quiet">${own.length ? t("page.me.no_sheet", { rules }) : rules}</p>
    <div class="keys-row">${free.map(({ id, title }) => html`<button type="button" class="key" data-testid="take-sheet" @click=${() => take(id)}>${title}</button>`)}</div>
    <p>${t("page.me.new_sheet", { name: myName() })}</p>
    <div class="keys-row">${newSheetKeys(book.sheets.rules[system ?? ""], makeSheet)}</div>
    <p class="refusal" role="alert">${refusal}</p>
  </section>`;
}

function rollsCard() {
  return html`<details class="card" data-testid="my-rolls">
    <summary><h2>${t("page.me.own_rolls")}</h2></summary>
    ${rolls?.rolls.length ? ownRolls(rolls, snapshot?.colours) : html`<p class="quiet">${t("page.me.no_rolls")}</p>`}
  </details>`;
}

function endCard() {
  const turnWhole = () => {
    keepWhole(!isWhole());
    draw();
  };
  if (isTable())
    return html`<div class="row"><button type="button" class="tool" data-testid="another" @click=${forgetName}>${t("page.me.another")}</button><button type="button" class="key switch" aria-pressed=${isWhole()} data-testid="whole" @click=${turnWhole}>${t("page.me.whole")}</button></div>`;
  return html`<section class="card" aria-label=${t("page.me.this_phone")}><p>${t(identity?.role === "game_master" ? "page.me.is_master" : "page.me.is_player", { name: myName() })}</p><div class="row"><button type="button" class="tool" data-testid="leave" @click=${leave}>${t("page.me.leave")}</button></div></section>`;
}

function draw() {
  if (!snapshot || !identity) return;
  const isGuest = identity.role === "guest";
  const hasName = myName() !== "";
  const { system } = snapshot;
  book.own = mySheets();
  if (!isGuest && !hasName && isNews(names.node, system, identity.taken))
    knownPlayers(system).then((players) =>
      names.show((players ?? []).filter(({ sheet }) => sheet === null || !identity?.taken.includes(sheet))),
    );
  byId("title").textContent = !isGuest && hasName ? myName() : t("page.me.title");
  const own = isGuest || !hasName ? [] : book.sheets.sheets.filter((one) => mySheets().includes(one.id));
  // Other rules are other sheets: what was tapped before counts no more.
  if (system !== shownFor || !own.some((one) => one.id === shown))
    shown = own.find((one) => one.system === snapshot?.system)?.id ?? null;
  shownFor = system;
  const parts = isGuest
    ? box.card(refusal)
    : hasName
      ? html`${rollsCard()}${sheetCard(own)}${sheetPlace}${wakeCard(draw)}${endCard()}`
      : html`${nameCard()}${identity.role === "game_master" ? endCard() : nothing}`;
  render(parts, byId("me"));
  /** @type {(sheet: Sheet, tapped: Tapped) => unknown} */
  const onRoll = (_, tapped) => preparing.use((part) => part.roll(snapshot, tapped));
  renderSheet(sheetPlace, { sheet: own.find((one) => one.id === shown), systems: snapshot.systems, book, onRoll });
}

const newestRolls = byVersion(() =>
  ask("GET", `/api/players/rolls?owner=${encodeURIComponent(myName())}&limit=${ROLLS}`),
);
async function learnRolls() {
  const name = myName();
  if (!name || !snapshot || identity?.role === "guest") return;
  const latest = await newestRolls(`${snapshot.log_revision} ${name}`);
  if (!latest) return;
  rolls = latest;
  draw();
}

async function learn() {
  const before = identity?.role;
  identity = (await learnIdentity()) ?? identity;
  if (identity?.role !== before) refusal = "";
  draw();
  learnRolls();
}

async function start() {
  // The code on the display has the PIN after #, which no server sees; remove it from the URL.
  const given = new URLSearchParams(location.hash.slice(1)).get("pin");
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  await learn();
  if (given && identity?.role === "guest") await box.pair(given);
}

book.onNews(draw);
follow((latest) => {
  snapshot = latest;
  book.update(latest);
  draw();
  learnRolls();
}, true);
start();
keepShell();
// The display may unpair this phone meanwhile, unassign it, or make it the game master's.
document.addEventListener("visibilitychange", () => document.hidden || learn());
setInterval(() => document.hidden || myRole() === "table" || learn(), AGAIN_MS);
