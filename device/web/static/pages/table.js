// The table display and the phone page: the newest snapshot onto the page, taps and keys to the tray. No state of its own.

import { ask, askSeen } from "../lib/api.js";
import { renderDice } from "../components/dice-list.js";
import { anyDiceLine, confirmLine, tapPlaces } from "../components/doubts.js";
import { html, icon, isNews } from "../lib/drawing.js";
import { chooseLanguage, language, t } from "../lib/texts.js";
import { renderHistory } from "../components/history.js";
import { renderMarks } from "../components/outlines.js";
import { mendButton } from "../components/mending.js";
import { renderOdds } from "../components/odds.js";
import { follow, say } from "../components/page.js";
import { correctionPad } from "../components/correction-pad.js";
import { mountPanels } from "../components/side-panels.js";
import { livePicture } from "../components/picture.js";
import { setupPanel } from "../components/setup.js";
import { consequences, diceOf, dieWords, examplePool, headline, headlineWord, hint, isOfPool, markedDice, problemsOf, problemTitle, stateWords, toReroll } from "../lib/words.js";

const at = (id) => document.getElementById(id);
const body = document.body;
const LAMPS = ["ready", "reading", "push_allowed", "success", "trouble"];
const HISTORY_ROWS = 30;
const BUTTONS = ["push", "throw", "reset"];

const SLOW_MS = 600;

let snapshot = null;

const pad = correctionPad(at("pad"), say);
const setup = setupPanel(at("setup"), say, (latest) => hear(latest));
const panels = mountPanels(at("strips"), say);
const mend = mendButton(at("mend-field"), at("mend"), () => wish("POST", "/api/throw", { ...seed(), hand: "mends" }));
const openPad = (id) => pad.open(id, snapshot);

function renderState() {
  const node = at("state");
  node.textContent = snapshot.state;
  node.dataset.label = stateWords(snapshot.state);
  node.setAttribute("aria-label", t("page.state.label", { state: node.dataset.label }));
  body.dataset.state = snapshot.state;
  body.dataset.awaiting = snapshot.awaiting?.kind ?? "none";
  // Green is for a success alone: a total whose difficulty nobody has said is neither good nor bad.
  const good = snapshot.outcome?.success === true && !snapshot.problems?.length;
  body.dataset.outcome = snapshot.outcome ? (good ? "success" : "other") : "none";
}

function renderLamps() {
  if (!isNews(at("lamps"), snapshot.lamps)) return;
  at("lamps").replaceChildren(
    ...LAMPS.map((name) => {
      const label = t(`page.lamp.${name}`);
      const lamp = snapshot.lamps?.[name] ?? {};
      const bulb = html("span", { class: "bulb" });
      bulb.style.setProperty("--brightness", String(lamp.lit ? Math.max(0.35, lamp.brightness ?? 1) : 0));
      const how = t(!lamp.lit ? "page.lamp.off" : lamp.pattern === "steady" ? "page.lamp.on" : lamp.pattern === "fast" ? "page.lamp.fast" : "page.lamp.slow");
      return html("li", { class: "lamp", "data-lamp": name, "data-lit": String(Boolean(lamp.lit)), "data-pattern": lamp.pattern ?? "steady", title: t("page.lamp.says", { lamp: label, how }) }, bulb, html("span", { class: "lamp-name" }, label), html("span", { class: "unseen" }, how));
    }),
  );
}

// Texts are set only where they changed, so that a screen reader hears a result once.
function setText(node, text) {
  if (node.textContent !== String(text)) node.textContent = String(text);
}

function renderResult() {
  const { outcome } = snapshot;
  const [title, lead] = headline(snapshot);
  at("number").hidden = !outcome;
  setText(at("successes"), outcome ? outcome.headline?.value ?? outcome.successes ?? "" : "");
  at("number").dataset.figures = String(at("successes").textContent.length);
  setText(at("word"), outcome?.headline ? headlineWord(outcome.headline) : "");
  setText(at("headline"), title);
  setText(at("lead"), lead);
  const lines = consequences(snapshot);
  const list = at("consequences");
  if (isNews(list, lines)) list.replaceChildren(...lines.map(([kind, text]) => html("li", { class: `consequence ${kind}` }, text)));
  document.title = outcome ? `${at("successes").textContent} ${at("word").textContent} · PushTray` : "PushTray";
}

function renderProblems() {
  const details = problemsOf(snapshot);
  const list = at("problems");
  const ofPool = isOfPool(snapshot);
  if (!isNews(list, details, snapshot.confirmable, ofPool)) return;
  list.replaceChildren(
    ...details.map(({ code, text, dice = [] }) => {
      const named = dice.map((id) => diceOf(snapshot).find((die) => die.id === id)).filter(Boolean);
      const title = problemTitle(code);
      const item = html("li", { class: "problem", "data-testid": "problem", "data-code": code }, icon("wrong"));
      const words = html("span", {}, html("strong", {}, title), text ? ` ${text}` : "");
      if (named.length) words.append(html("em", {}, ` ${named.map(dieWords).join(", ")}.`));
      item.append(words);
      return item;
    }),
    ...(snapshot.confirmable ? [confirmLine(() => wish("POST", "/api/confirm"))] : []),
    ...(ofPool ? [anyDiceLine(() => setup.clear())] : []),
  );
}

// Whether the next throw is of dice that lie there already.
function throwsAgain() {
  return snapshot.state === "awaiting_push" || Boolean(snapshot.awaiting);
}

function throwLabel() {
  if (!throwsAgain()) return t("page.table.throw");
  const count = toReroll(snapshot).length;
  return count ? t("page.table.throw_count", { count }) : t("page.table.throw_again");
}

// What may be pressed the tray has decided; here it is only shown.
function renderButtons() {
  const { presses, simulated } = snapshot;
  const total = Object.values(setup.pool()).reduce((sum, count) => sum + count, 0);
  for (const name of BUTTONS) {
    at(name).hidden = !presses[name].offered;
    at(name).disabled = !presses[name].allowed;
  }
  // The tray throws a declared pool; of one that is being tapped together it has not heard of yet.
  if (!throwsAgain() && snapshot.pool !== null && total === 0) at("throw").disabled = true;
  setText(at("throw").querySelector(".label"), throwLabel());
  setText(at("push-reason"), hint(snapshot));
  at("simulated").hidden = !simulated;
  mend.update(snapshot);
}

function render() {
  renderState();
  renderLamps();
  renderResult();
  renderProblems();
  // A die that the rules want thrown once more is marked as in a push: this one goes, the others stay.
  const shown = snapshot.awaiting ? { ...snapshot, state: "awaiting_push" } : { ...snapshot, dice: markedDice(snapshot) };
  renderDice(at("dice"), shown, openPad);
  renderMarks(at("marks"), shown, openPad);
  setup.update(snapshot);
  renderButtons();
  pad.update(snapshot);
  panels.update(snapshot);
}

// Odds and history change with the state, not with every frame: asked for again only then.
let lastAsked = "";
async function refreshSide() {
  const key = JSON.stringify([snapshot.state, snapshot.system, snapshot.pool, snapshot.context, snapshot.rulings, snapshot.roles, snapshot.typed_dice, snapshot.outcome, diceOf(snapshot).map((die) => [die.id, die.colour, die.value])]);
  if (key === lastAsked || snapshot.state === "rolling") return;
  lastAsked = key;
  const colours = snapshot.colours;
  const [odds, rolls] = await Promise.all([ask("GET", "/api/odds"), ask("GET", `/api/rolls?limit=${HISTORY_ROWS}`)]);
  if (key !== lastAsked) return;
  if (at("odds")) renderOdds(at("odds"), at("odds-title"), odds.ok ? odds.snapshot : null);
  if (at("history") && rolls.ok) renderHistory(at("history"), rolls.snapshot.rolls, colours);
  if (!odds.ok || !rolls.ok) lastAsked = "";
}

// One wish of a kind at a time: a finger that bounces is one press. Its button shows that it is under way, and what
// became of it is always said: by the dice, or in words.
const underWay = new Map();
function showUnderWay() {
  const names = [...underWay.keys()].map((path) => path.split("/").at(-1));
  body.dataset.busy = names.join(" ");
  for (const name of BUTTONS) at(name).setAttribute("aria-busy", String(names.includes(name)));
}
async function wish(method, path, order) {
  if (underWay.has(path)) {
    if (performance.now() - underWay.get(path) > SLOW_MS) say(t("page.table.under_way"));
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

// A button that cannot be pressed says why, where a key was meant to press it.
function mayPress(name) {
  if (at(name).hidden || snapshot === null) return false;
  if (at(name).disabled) say(snapshot.presses[name].text || t("page.table.choose_die"));
  return !at(name).disabled;
}

function seed() {
  const text = at("seed").value.trim();
  return /^\d+$/.test(text) ? { seed: Number(text) } : {};
}

async function throwDice() {
  if (!mayPress("throw")) return;
  const again = throwsAgain();
  const dice = snapshot.pool === null ? examplePool(snapshot) : setup.pool();
  const pushed = snapshot.state === "awaiting_push";
  const order = pushed ? { ...seed(), hand: at("hand").value } : again ? seed() : { ...dice, ...seed() };
  // A wrong hand is wrong once: the next push is played right unless asked otherwise.
  if ((await wish("POST", "/api/throw", order)) && again) at("hand").value = "right";
}

const pressPush = () => mayPress("push") && wish("POST", "/api/push");
async function pressReset() {
  if (!mayPress("reset")) return;
  const before = snapshot.version;
  const after = await wish("POST", "/api/reset");
  if (after?.version === before) say(t("page.table.nothing_to_reset"));
}

at("push").addEventListener("click", pressPush);
at("reset").addEventListener("click", pressReset);
at("throw").addEventListener("click", throwDice);
// A seed that is no number would be a throw by chance in silence.
at("seed").addEventListener("input", ({ target }) => (target.value = target.value.replace(/\D/g, "")));
at("prepare-button").addEventListener("click", panels.openPrepare);
at("table-button").addEventListener("click", panels.openTable);
at("help-button").addEventListener("click", () => at("help").showModal());
at("help-close").addEventListener("click", () => at("help").close());
at("setup-button").addEventListener("click", () => {
  const open = body.dataset.setup !== "open";
  body.dataset.setup = open ? "open" : "closed";
  at("setup-button").setAttribute("aria-expanded", String(open));
});
at("language").value = language;
at("language").addEventListener("change", ({ target }) => chooseLanguage(target.value));
at("theme-button").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", document.documentElement.dataset.theme);
  } catch {
    // Storage is off: the choice holds until the page is closed.
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.matches?.("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  if (at("pad").open && /^[1-6]$/.test(key)) pad.press(Number(key));
  if (!at("pad").open && /^[1-9]$/.test(key)) panels.press(Number(key));
  if (document.querySelector("dialog[open]")) return;
  const actions = { o: panels.openPrepare, p: pressPush, r: pressReset, t: throwDice, "?": () => at("help").showModal() };
  if (key in actions) {
    event.preventDefault();
    actions[key]();
  }
});

tapPlaces(at("stage"), at("picture"), () => snapshot, (place) => pad.add(place, snapshot));
livePicture(at("picture"), at("no-picture"), () => snapshot === null || snapshot.hand_in_view || ["rolling", "awaiting_push"].includes(snapshot.state));
const hear = follow((latest) => {
  snapshot = latest;
  render();
  refreshSide();
});
