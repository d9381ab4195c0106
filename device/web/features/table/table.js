// @ts-check
// The table display and the phone page: draws the newest snapshot, sends taps and keys to the tray. No state.

import { ask, askSeen } from "../../ui/lib/api.js";
import { renderDice } from "../../ui/components/dice-list.js";
import { renderHistory } from "../../ui/components/history.js";
import { renderOdds } from "../../ui/components/odds.js";
import { correctionPad } from "./components/correction-pad.js";
import { drawCrops } from "./components/crops.js";
import { confirmLine, cureLine, placeOf } from "./components/doubts.js";
import { byId, isPhone } from "../../ui/lib/dom.js";
import { icon, MARKS } from "../../ui/lib/drawing.js";
import { kept } from "../../ui/lib/kept.js";
import { byVersion } from "../../ui/lib/newest.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { doubtStrip } from "./components/doubt-strip.js";
import { giveGround } from "./components/give-ground.js";
import { renderMarks } from "./components/outlines.js";
import { follow, say } from "../../ui/components/page.js";
import { mountPanels } from "./components/side-panels.js";
import { livePicture } from "../../ui/components/picture.js";
import { setupPanel } from "./components/setup.js";
import { zoomOf } from "./components/zoom.js";
import {
  isOfPool,
  isTurnHeadline,
  isWaiting,
  numberOf,
  problemsOf,
  problemTitle,
  shownOutcome,
  stateWords,
  toReroll,
} from "../../ui/lib/words.js";

/** @import { Snapshot } from "../../ui/lib/types.js" */

const at = byId;
const body = document.body;
const HISTORY_ROWS = 30;
const LONG_HEADLINE = 24;
const LONG_ACT = 20;
// Two lines of the largest letters on the smallest panel.
const LONG_TURN = 48;
const BUTTONS = [...document.querySelectorAll(".buttons > button")].map(({ id }) => id);

const SLOW_MS = 600;
const IDLE_AFTER_MS = 20000;

/** @type {Snapshot} */
let snapshot;
const isGuest = () => body.dataset.guest === "true";

/** @param {string} id */
const button = (id) => byId(id, HTMLButtonElement);
/** @param {string} id */
const dialog = (id) => byId(id, HTMLDialogElement);
const seedField = byId("seed", HTMLInputElement);
const handField = byId("hand", HTMLSelectElement);
// Elements about a push, hidden under rules without one.
/** @type {NodeListOf<HTMLElement>} */
const ofPush = document.querySelectorAll(".of-push");

const pad = correctionPad();
const doubts = doubtStrip(at("strips"), wish, (id) => openPad(id));
// Sounds and speech are loaded if this browser has chosen them.
const aloud = onDemand(() => import("../../ui/components/aloud.js"));
let isAloud = kept("aloud") !== null;
const setup = setupPanel((latest) => hear(latest));
const panels = mountPanels(at("strips"));
const fit = giveGround(/** @type {HTMLElement} */ (document.querySelector("main")), at("dice"), doubts.fit);
let isMending = false;
/** @param {number} id */
const openPad = (id) => (isGuest() ? say(t("page.guest.line")) : pad.open(id, snapshot));

function renderState() {
  const node = at("state");
  node.textContent = snapshot.state;
  node.dataset.label = stateWords(snapshot);
  node.setAttribute("aria-label", t("page.state.label", { state: node.dataset.label }));
  body.dataset.state = snapshot.state;
  body.dataset.awaiting = snapshot.awaiting?.kind ?? "none";
  // Green is only for a success: a total without a difficulty is neither good nor bad.
  const outcome = shownOutcome(snapshot);
  body.dataset.outcome = outcome ? (outcome.success ? "success" : "other") : "none";
  body.dataset.waiting = String(isWaiting(snapshot));
  setText(at("no-picture"), t(snapshot.covered ? "page.table.covered" : "page.table.no_picture"));
}

function renderLamps() {
  const isThere = (/** @type {string} */ name) => name !== "push_allowed" || snapshot.presses.push.offered;
  const there = Object.entries(snapshot.lamps ?? {}).filter(([name]) => isThere(name));
  const lamps = there.map(([name, { lit, pattern, brightness = 1 }]) => {
    const label = t(`page.lamp.${name}`);
    const how = t(`page.lamp.${!lit ? "off" : pattern === "steady" ? "on" : pattern === "fast" ? "fast" : "slow"}`);
    return html`<li class="lamp" data-lamp=${name} data-lit=${lit} data-pattern=${pattern} title=${t("page.lamp.says", { lamp: label, how })}><span class="bulb" .style="--brightness: ${lit ? Math.max(0.35, brightness) : 0}"></span><span class="lamp-name">${label}</span><span class="unseen">${how}</span></li>`;
  });
  render(lamps, at("lamps"));
}

/** Sets only changed texts, so that screen readers announce a result once. @param {Node} node @param {unknown} text */
function setText(node, text) {
  if (node.textContent !== String(text)) node.textContent = String(text);
}

function renderResult() {
  const outcome = shownOutcome(snapshot);
  const { title, lead, act } = snapshot.display;
  const [value, word] = outcome ? numberOf(outcome) : ["", ""];
  const headline = title.replace(/\.$/, "");
  for (const [id, text] of Object.entries({ successes: value, word, headline, act, lead })) setText(at(id), text);
  at("number").hidden = !outcome;
  at("number").dataset.figures = String(String(value).length);
  at("headline").dataset.long = String(headline.length > LONG_HEADLINE);
  at("headline").dataset.turn = String(isTurnHeadline(snapshot) && headline.length <= LONG_TURN);
  at("act").dataset.long = String(act.length > LONG_ACT);
  render(
    (outcome ? (snapshot.lines ?? []) : []).map(({ kind, text }) => html`<li class="consequence ${kind}">${text}</li>`),
    at("consequences"),
  );
  document.title = outcome ? `${value} ${word} · PushTray` : "PushTray";
}

function renderProblems() {
  // The headline names the problem, and the dice themselves are marked.
  const lines = problemsOf(snapshot).map(
    ({ code, text }) =>
      html`<li class="problem" data-testid="problem" data-code=${code}>${icon("wrong")}<span>${text || problemTitle(code)}</span></li>`,
  );
  // Parts that the tray can play without: shown while there is room, between rolls.
  const faults = (snapshot.state === "empty" ? (snapshot.faults ?? []) : []).map(
    ({ part, title, text }) =>
      html`<li class="problem" data-testid="part-fault" data-part=${part}>${icon("wrong")}<span>${title}: ${text}</span></li>`,
  );
  const cures = [
    snapshot.lesson
      ? cureLine("stop-lesson", () => wish("DELETE", "/api/dice-sets/lesson"), t("page.dice_sets.stop"))
      : nothing,
    snapshot.confirmable ? confirmLine(snapshot, () => wish("POST", "/api/confirm")) : nothing,
    snapshot.problems?.includes("camera_moved")
      ? html`<li class="confirm-line"><a id="calibrate" class="tool" href="/calibrate">${t("page.doubt.calibrate")}</a></li>`
      : nothing,
    isOfPool(snapshot) ? cureLine("any-dice", () => setup.clear(), t("page.doubt.any")) : nothing,
  ];
  render([faults, lines, cures], at("problems"));
}

// Whether the next throw is of dice that are already there.
const throwsAgain = () => snapshot.state === "awaiting_push" || Boolean(snapshot.awaiting);

function throwLabel() {
  const count = toReroll(snapshot).length;
  return t(`page.table.${!throwsAgain() ? "throw" : count ? "throw_count" : "throw_again"}`, { count });
}

// The tray decides what may be pressed.
function renderButtons() {
  const { presses, simulated } = snapshot;
  const total = Object.values(setup.pool()).reduce((sum, count) => sum + count, 0);
  for (const name of BUTTONS) {
    at(name).hidden = !presses[name].offered;
    button(name).disabled = !presses[name].allowed;
  }
  // The tray throws the declared pool; it does not know one that is still being entered.
  if (!throwsAgain() && snapshot.pool !== null && total === 0) button("throw").disabled = true;
  setText(/** @type {HTMLElement} */ (at("throw").querySelector(".label")), throwLabel());
  for (const part of ofPush) part.hidden = !presses.push.offered;
  setText(at("push-reason"), snapshot.display.hint);
  at("simulated").hidden = !simulated;
}

// One button by which the simulated hand fixes a problem; the Throw button rethrows an exploding die.
function renderMend() {
  const mend = snapshot.mend?.kind === "throw_again" ? null : snapshot.mend;
  // While the hand is busy nothing is offered.
  if (!mend) isMending = false;
  at("mend-field").hidden = !mend;
  button("mend").disabled = isMending;
  setText(at("mend"), mend?.text ?? "");
  if (mend) body.dataset.mend = mend.kind;
  else delete body.dataset.mend;
}
at("mend").addEventListener("click", async () => {
  isMending = true;
  renderMend();
  if (!(await wish("POST", "/api/throw", { ...seed(), hand: "mends" }))) isMending = false;
  renderMend();
});

function renderPage() {
  renderState();
  renderLamps();
  renderResult();
  renderProblems();
  renderDice(at("dice"), snapshot, openPad);
  renderMarks(byId("marks", SVGSVGElement), snapshot, openPad, zoom);
  drawCrops(at("problems"), snapshot);
  pad.update(snapshot);
  doubts.update(snapshot);
  setup.update(snapshot);
  renderButtons();
  renderMend();
  panels.update(snapshot);
  renderOdds(snapshot.odds);
  fit();
}

const newestRolls = byVersion(() => ask("GET", `/api/rolls?limit=${HISTORY_ROWS}`));
async function refreshSide() {
  const latest = await newestRolls(snapshot.log_revision);
  if (!latest) return;
  renderHistory(at("history"), latest.rolls, snapshot.colours);
  fit();
}

// One request of a kind at a time: a bouncing finger is one press. Its button shows that it is pending, and the outcome is
// always shown, by the dice or as text.
/** @type {Map<string, number>} */
const underWay = new Map();
function showUnderWay() {
  const names = [...underWay.keys()].map((path) => path.split("/").at(-1));
  body.dataset.busy = names.join(" ");
  for (const name of BUTTONS) at(name).setAttribute("aria-busy", String(names.includes(name)));
}
/** @param {string} method @param {string} path @param {object} [order] @returns {Promise<Snapshot | null>} */
async function wish(method, path, order) {
  const since = underWay.get(path);
  if (since !== undefined) {
    if (performance.now() - since > SLOW_MS) say(t("page.table.under_way"));
    return null;
  }
  underWay.set(path, performance.now());
  showUnderWay();
  const answer = await askSeen(method, path, order);
  underWay.delete(path);
  showUnderWay();
  if (!answer.ok) say(answer.text);
  return answer.ok ? answer.snapshot : null;
}

/** A disabled button shows its reason if its key is pressed. @param {string} name */
function mayPress(name) {
  if (at(name).hidden || !snapshot) return false;
  if (button(name).disabled) say(snapshot.presses[name].text || t("page.table.choose_die"));
  return !button(name).disabled;
}

function seed() {
  const text = seedField.value.trim();
  return /^\d+$/.test(text) ? { seed: Number(text) } : {};
}

async function throwDice() {
  if (!mayPress("throw")) return;
  const again = throwsAgain();
  const counts = snapshot.pool === null ? snapshot.example_pool : setup.pool();
  const pushed = snapshot.state === "awaiting_push";
  const order = pushed ? { ...seed(), hand: handField.value } : again ? seed() : { ...counts, ...seed() };
  // A wrong hand is wrong once: the next push is played right by default.
  if ((await wish("POST", "/api/throw", order)) && again) handField.value = "right";
}

async function pressReset() {
  if (!mayPress("reset")) return;
  const before = snapshot.version;
  const after = await wish("POST", "/api/reset");
  if (after?.version === before) say(t("page.table.nothing_to_reset"));
}

/** @type {Record<string, () => unknown>} */
const keys = { o: panels.openPrepare, "?": openHelp };
/** @type {Record<string, () => unknown>} */
const withMore = { throw: throwDice, reset: pressReset };
for (const name of BUTTONS) {
  const press = withMore[name] ?? (() => mayPress(name) && wish("POST", `/api/${name}`));
  at(name).addEventListener("click", press);
  keys[at(name).querySelector("kbd")?.textContent?.toLowerCase() ?? ""] = press;
}
// A seed that is not a number would silently be a random throw.
seedField.addEventListener("input", () => (seedField.value = seedField.value.replace(/\D/g, "")));
at("prepare-button").addEventListener("click", panels.openPrepare);
at("table-button").addEventListener("click", panels.openTable);
const screen = onDemand(async () => {
  const { thisScreen } = await import("../../ui/components/this-screen.js");
  return thisScreen((target) => {
    if (!isAloud && snapshot) aloud.use(({ hear: tell }) => tell(snapshot, true));
    isAloud = true;
    aloud.use(({ choose }) => choose(target));
  });
});
function openHelp() {
  screen.use(() => {});
  at("guides").hidden = isPhone;
  const asks = snapshot?.presses.push.offered ? ["stay", "reroll"] : [];
  const signs = [...MARKS.map((mark) => [mark, `page.mark.${mark}`]), ...asks.map((ask) => [ask, `page.group.${ask}`])];
  render(
    signs.map(([sign, words]) => html`<li class="mark-${sign} kind-${sign}">${icon(sign)}${t(words)}</li>`),
    at("legend"),
  );
  if (!dialog("help").open) dialog("help").showModal();
}
document.querySelector(".menu [data-section=help]")?.addEventListener("click", (event) => {
  event.preventDefault();
  openHelp();
});
// Help in the menu, tapped on another page.
if (location.hash === "#help") {
  window.history.replaceState(null, "", location.pathname + location.search);
  openHelp();
}
at("help-close").addEventListener("click", () => dialog("help").close());
for (const part of ["setup", "menu"])
  at(`${part}-button`).addEventListener("click", () => {
    const open = body.dataset[part] !== "open";
    body.dataset[part] = open ? "open" : "closed";
    at(`${part}-button`).setAttribute("aria-expanded", String(open));
  });
// A list loses the focus after a choice by hand, so that T throws; arrow keys keep it.
let isByHand = false;
document.addEventListener("pointerdown", () => (isByHand = true), { capture: true });
document.addEventListener("change", ({ target }) => isByHand && target instanceof HTMLSelectElement && target.blur());
document.addEventListener("keydown", (event) => {
  isByHand = false;
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
  // A choice in a list applies to the table at once, so letters must not choose.
  if (event.target.matches("select") && /^\S$/.test(event.key)) event.preventDefault();
  if (event.repeat || event.target.matches("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  if (/^[1-9]$/.test(key)) (pad.isOpen ? pad : panels).press(Number(key));
  if (document.querySelector("dialog[open]") || (isGuest() && key !== "?")) return;
  if (!(key in keys)) return;
  event.preventDefault();
  keys[key]();
});

const picture = byId("picture", HTMLCanvasElement);
const zoom = zoomOf(at("stage"), picture, byId("marks", SVGSVGElement));
// A tap next to the dice adds one there.
at("stage").addEventListener("click", (event) => {
  const isOn = /** @type {Element} */ (event.target).closest(".mark, button, a");
  if (!snapshot || isGuest() || isOn || ["rolling", "fault"].includes(snapshot.state) || !picture.dataset.etag) return;
  const place = placeOf(event, picture.getBoundingClientRect(), picture);
  if (place) pad.add(place, snapshot);
});
// The idle screen is loaded when nothing has been touched for a while; from then on it watches on its own.
const idle = onDemand(async () => (await import("./components/idle.js")).idleScreen(() => snapshot));
if (!isPhone) setTimeout(() => idle.use(() => {}), IDLE_AFTER_MS);
livePicture(
  picture,
  at("no-picture"),
  () => !snapshot || Boolean(snapshot.hand_in_view) || ["rolling", "awaiting_push"].includes(snapshot.state),
);
const hear = follow((latest, isFirst) => {
  snapshot = latest;
  if (isAloud) aloud.use(({ hear: tell }) => tell(latest, isFirst));
  idle.now?.hear(latest);
  renderPage();
  refreshSide();
});
