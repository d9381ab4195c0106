// @ts-check
// From an empty box to a good reading, step by step. Each step shows the measured value, what is good and the cure; steps
// can be skipped, redone and resumed.

import { ask } from "../../ui/lib/api.js";
import { byId, valueOf } from "../../ui/lib/dom.js";
import { paint } from "../../ui/lib/drawing.js";
import {
  ENOUGH_ROLLS,
  STEPS,
  after,
  marksOf,
  readings,
  remember,
  remembered,
  stepsOf,
  stepToShow,
  verdictOf,
  worstOf,
} from "../../ui/lib/first-start.js";
import { maybe, t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { numberOf, plainWord } from "../../ui/lib/words.js";
import { learnPhones, letInKey } from "../../ui/components/let-in.js";
import { miniDie } from "../../ui/components/mini-die.js";
import { follow, say, send } from "../../ui/components/page.js";
import { checkLine, readPicture, withCure } from "../../ui/components/read-marks.js";
import { rulesLook } from "../../ui/components/rules-look.js";

/** @import { BringUp, Calibration, Phones, Roles, Setting, Settings, Snapshot } from "../../ui/lib/types.js" */
/** @import { Looks } from "../../ui/components/rules-look.js" */
/** @import { Mark, Step } from "../../ui/lib/first-start.js" */

const LOOK_MS = 1500;
const ROWS = 120;
/** Parts of the calibration's look that a step is about. @type {Partial<Record<Step, string[]>>} */
const PARTS = { view: ["place", "level"], focus: ["focus"], light: ["light"], relight: ["light"] };

const root = byId("start");
/** @type {Snapshot | null} */
let snapshot = null;
/** @type {Settings | null} */
let settings = null;
/** @type {Calibration | null} */
let calibration = null;
/** @type {({ id: string, title: string } & Looks)[]} */
let systems = [];
/** @type {Phones | null} */
let phones = null;
/** Why the calibration did not look, and what came of the last measurement. */
let [refused, measured] = ["", ""];
let read = readings([]);
/** @type {ReturnType<typeof readPicture> | null} */
let live = null;
/** @type {Roles} */
let played = { classes: [], systems: [] };
/** @type {BringUp} */
let parts = { cameras: [], ring: false, panel: false, mains: null, presses: {} };
/** @type {Record<string, string>} */
let faults = {};
/** Changes with every look, so that pictures are requested again. */
let looks = 0;
let memory = remembered();
const wanted = /** @type {Step} */ (new URLSearchParams(location.search).get("step"));
/** @type {Step | null | undefined} what was chosen by hand; undefined: nothing */
let chosen = STEPS.includes(wanted) ? wanted : undefined;

/** @returns {Record<Step, Mark>} */
const marks = () => marksOf(memory, { isCalibrated: Boolean(snapshot?.profile), rolls: read.rolls });
const steps = () => stepsOf(parts);
const current = () => (chosen === undefined ? stepToShow(memory, marks(), steps()) : chosen);

/** @param {Step | null} step */
function go(step) {
  chosen = step;
  measured = "";
  memory = { ...memory, at: step };
  remember(memory);
  draw();
  root.querySelector("h2")?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** @param {Step} step @param {Mark} mark */
function leave(step, mark) {
  memory = after(memory, step, mark, steps());
  go(stepToShow(memory, marks(), steps()));
}

/** A change that the next start brings. @param {string} path @param {object} body */
async function changeForRestart(path, body) {
  const answer = await send("PUT", path, body);
  if (answer) say(t("page.settings.restarting"));
  return answer;
}

/** Keys to choose one from, under their name. @type {(name: string, keys: unknown, more?: unknown) => unknown} */
const choice = (name, keys, more = nothing) =>
  html`<div role="group" aria-label=${t(`page.start.${name}`)} data-testid=${name}><b>${t(`page.start.${name}`)}</b><div class="row">${keys}</div>${more}</div>`;

function systemBody() {
  /** @param {string} system */
  const choose = async (system) => {
    const latest = await send("PUT", "/api/system", { system });
    if (latest) hear(latest);
  };
  const keys = systems.map(
    (one) =>
      html`<button type="button" class="key rules-key" data-system=${one.id} aria-pressed=${one.id === snapshot?.system} @click=${() => choose(one.id)}><b>${one.title}</b>${rulesLook(one, snapshot?.colours)}</button>`,
  );
  return html`<div class="rules-keys" role="group" aria-label=${t("page.start.system")}>${keys}</div>`;
}

/** @param {Setting} setting */
function colourRow({ key, title, value, usual, words }) {
  const now = value ?? usual;
  /** @param {Event} event */
  const choose = async (event) => {
    settings = (await send("PUT", `/api/settings/${key}`, { value: valueOf(event) })) ?? settings;
    draw();
  };
  return html`<label class="field colour-field" data-key=${key}><span><span class="swatch" .style=${paint("any", { any: String(now) })}></span>${title}</span>
    <select ?disabled=${!settings?.may_change} @change=${choose}>${words.map(({ value, title }) => html`<option value=${value} ?selected=${value === now}>${title}</option>`)}</select></label>`;
}

// Where a system has a wild die, no colour tells which one it is.
function wildRow() {
  const system = played.systems.find(({ id }) => id === snapshot?.system);
  if (!system?.allowed.includes("wild")) return nothing;
  const { id, allowed, roles } = system;
  /** @param {string} label */
  async function choose(label) {
    const others = Object.keys(roles).filter((one) => roles[one] === "wild");
    const changed = Object.fromEntries([...others.map((one) => [one, allowed[0]]), [label, "wild"]]);
    if (await send("PUT", `/api/roles/${id}`, { roles: changed })) await learnRoles();
    draw();
  }
  const keys = played.classes.map(
    (label) =>
      html`<button type="button" class="key" data-class=${label} aria-pressed=${roles[label] === "wild"} @click=${() => choose(label)}><span class="swatch" .style=${paint(label, snapshot?.colours)}></span>${plainWord(label)}</button>`,
  );
  return choice("wild", keys);
}

function coloursBody() {
  const dice = settings?.groups.find((group) => group.name === "dice")?.settings ?? [];
  const isLate = dice.some((one) => one.pending);
  const note = !settings ? "none" : !settings.may_change ? "elsewhere" : isLate ? "restart" : null;
  return html`${dice.map(colourRow)}${wildRow()}${note ? html`<p class="quiet">${t(`page.start.colours_${note}`)}</p>` : nothing}`;
}

/** @param {string} what */
function measureKey(what) {
  const go = async () => {
    measured = t("page.start.moment");
    draw();
    const answer = await ask("POST", `/api/calibration/${what}`, {}, 60_000);
    measured = answer.ok ? t("page.start.measured") : answer.text;
    draw();
  };
  return html`<div class="row"><button type="button" class="tool" data-testid="measure" @click=${go}>${t(`page.calibrate.${what}`)}</button><span role="status">${measured}</span></div>`;
}

function mainsRow() {
  if (!parts.mains) return nothing;
  const { hz, by, zone } = parts.mains;
  /** @param {number} value */
  const choose = async (value) => {
    if (await changeForRestart("/api/settings/pi.mains_hz", { value })) await ask("POST", "/api/restart", {});
  };
  const keys = [50, 60].map(
    (one) =>
      html`<button type="button" class="key" data-hz=${one} aria-pressed=${by !== "nothing" && one === hz} @click=${() => choose(one)}>${one} Hz</button>`,
  );
  const note = t(`page.start.mains_by.${by}`, { hz, zone: zone ?? "" });
  return choice("mains", keys, html`<p class="quiet">${note}</p>`);
}

/** @param {Step} step */
const checksOf = (step) => (calibration?.checks ?? []).filter((check) => PARTS[step]?.includes(check.part));

/** @param {Step} step */
function lookBody(step) {
  const seen = checksOf(step);
  const verdict = refused || (calibration ? t(`page.start.light_${worstOf(seen)}`) : t("page.start.light_looks"));
  const lines = seen.map(({ part, verdict, text, cure }) =>
    checkLine(verdict, `${maybe(`page.calibrate.part.${part}`) ?? part}: ${withCure(text, cure)}`),
  );
  return html`<div class="with-picture"><img class="live" src="/api/frame.jpg?width=480&of=${looks}" alt=${t("page.table.picture")} width="480" height="360"><div><ul class="checks">${lines}</ul><p role="status">${verdict}</p>
    ${step === "focus" && calibration?.can_focus ? measureKey("focus") : nothing}
    ${step === "light" ? mainsRow() : nothing}
    ${(step === "light" || step === "relight") && calibration?.can_measure_light ? measureKey("light") : nothing}</div></div>`;
}

function cameraBody() {
  const cards = parts.cameras.map(({ name, title, in_use: inUse }) => {
    const source = inUse
      ? `/api/frame.jpg?width=320&of=${looks}`
      : `/api/bring-up/camera.jpg?name=${encodeURIComponent(name)}`;
    return html`<li class="camera" data-camera=${name} data-in-use=${inUse}><b>${title}</b>
      ${inUse || name !== "simulated" ? html`<img class="live" src=${source} alt=${t("page.start.sees", { camera: title })} width="320" height="240">` : html`<p>${t("page.start.simulated_text")}</p>`}
      ${inUse ? html`<span class="in-use">${t("page.start.in_use")}</span>` : html`<button type="button" class="tool" data-testid="use-camera" @click=${() => changeForRestart("/api/bring-up/camera", { name })}>${t("page.start.use")}</button>`}</li>`;
  });
  return html`${faults.camera ? html`<ul class="checks">${checkLine("fail", faults.camera)}</ul>` : nothing}<ul class="cameras">${cards}</ul>`;
}

const ringBody = () =>
  html`<ul class="checks">${faults.ring ? checkLine("fail", faults.ring) : checkLine("ok", t("page.start.ring_answers"))}</ul>`;
const lampsBody = () =>
  html`<ul class="checks">${faults.panel ? checkLine("fail", faults.panel) : nothing}</ul><ol class="lamp-names">${Object.keys(snapshot?.lamps ?? {}).map((name) => html`<li>${t(`page.lamp.${name}`)}</li>`)}</ol><div class="row"><button type="button" class="tool" data-testid="try-lamps" @click=${() => send("POST", "/api/bring-up/lamps", {})}>${t("page.start.try_lamps")}</button></div>`;

function buttonsBody() {
  const lines = Object.entries(parts.presses).map(([name, count]) => {
    const text = t(count ? "page.start.pressed" : "page.start.not_pressed", { button: t(`page.table.${name}`) });
    return count ? checkLine("ok", text) : html`<li class="check">${text}</li>`;
  });
  return html`<ul class="checks">${lines}</ul>`;
}

function calibrateBody() {
  if (snapshot?.profile) return html`<p>${t("page.start.calibrated", { name: snapshot.profile })}</p>`;
  return html`${snapshot?.simulated ? html`<p>${t("page.start.calibrate_simulated")}</p>` : nothing}<div class="row"><a class="tool link go-there" href="/calibrate" data-testid="to-calibration">${t("page.start.to_calibration")}</a></div>`;
}

/** @param {ReturnType<typeof readings>["each"][0]} roll */
function readRoll({ id, dice, how }) {
  return html`<li class="read-roll" data-testid="read-roll" data-how=${how}><img class="live" src=${`/api/rolls/${id}/read.svg`} alt="" loading="lazy" width="160" height="120">
    <span class="roll-dice">${dice.map((die) => miniDie(die, snapshot?.colours))}</span><b>${t(`page.start.how.${how}`)}</b></li>`;
}

function verdictLine() {
  const verdict = verdictOf(read);
  if (read.rolls < ENOUGH_ROLLS) return nothing;
  return html`<p class="check is-${verdict}" data-testid="verdict"><b>${t(`page.start.verdict.${verdict}`)}</b></p>`;
}

function rollBody() {
  if (!snapshot) return nothing;
  live ??= readPicture();
  live.show(snapshot);
  const { display, outcome, simulated, presses, pool, example_pool: example } = snapshot;
  const number = outcome ? numberOf(outcome).join(" ") : "";
  const throwSome = () => send("POST", "/api/throw", { ...(pool ?? example) });
  return html`<div class="with-picture">${live.node}<div>
    <p data-testid="read"><b>${t("page.start.read", { count: read.rolls, most: ENOUGH_ROLLS })}</b>${read.rolls ? ` ${t("page.start.read_how", read)}` : nothing}</p>
    ${verdictLine()}
    <p role="status" class="first-roll" data-testid="first-roll"><b>${number}</b> ${display.title}. ${display.lead}</p>
    <div class="row"><a class="tool link" href="/">${t("page.start.correct")}</a>${simulated && presses.throw.allowed ? html`<button type="button" class="tool" data-testid="throw" @click=${throwSome}>${t("page.table.throw")}</button>` : nothing}</div></div></div>
    <ol class="read-rolls">${read.each.map(readRoll)}</ol>`;
}

/** @type {Record<Step, (step: Step) => unknown>} */
const BODIES = {
  system: systemBody,
  colours: coloursBody,
  camera: cameraBody,
  view: lookBody,
  focus: lookBody,
  light: lookBody,
  ring: ringBody,
  relight: lookBody,
  lamps: lampsBody,
  buttons: buttonsBody,
  calibrate: calibrateBody,
  roll: rollBody,
};

/** Whether nothing measured stands against a step; what is left at fault or undone is skipped. @param {Step} step */
function isReady(step) {
  if (PARTS[step]) return Boolean(calibration) && !refused && worstOf(checksOf(step)) !== "fail";
  if (step === "camera" || step === "ring") return !faults[step];
  if (step === "buttons") return Object.values(parts.presses).every((count) => count > 0);
  if (step === "calibrate") return Boolean(snapshot?.profile);
  return step !== "roll" || read.rolls >= ENOUGH_ROLLS;
}

/** @param {Step} step */
function stepCard(step) {
  const good = maybe(`page.start.good.${step}`);
  const end = html`<div class="row spread">
    <a class="tool link" href="/" data-testid="to-table">${t("page.start.to_table")}</a>
    <button type="button" class="tool" data-testid="skip" @click=${() => leave(step, "skipped")} ?hidden=${marks()[step] === "done"}>${t("page.start.skip")}</button>
    <button type="button" class="button go" data-testid="next" ?disabled=${!isReady(step)} @click=${() => leave(step, "done")}>${t("page.start.next")}</button>
  </div>`;
  return html`<section class="card step-card" data-step=${step}><h2 tabindex="-1">${t(`page.start.${step}`)}</h2><p>${t(`page.start.text.${step}`)}</p>${BODIES[step](step)}${good ? html`<p class="good"><b>${t("page.start.is_good")}</b> ${good}</p>` : nothing}${end}</section>`;
}

function endCard() {
  const skipped = steps().filter((step) => marks()[step] === "skipped");
  return html`<section class="card step-card" data-step="end"><h2 tabindex="-1">${t("page.start.end")}</h2>
    <p>${t(skipped.length ? "page.start.end_skipped" : "page.start.end_text", { steps: skipped.map((step) => t(`page.start.short.${step}`)) })}</p>
    ${read.rolls >= ENOUGH_ROLLS ? html`<p>${t("page.start.read_how", read)}</p>` : nothing}${verdictLine()}
    <div class="row">${letInKey(phones, say)}<a class="button go link" href="/" data-testid="to-table">${t("page.start.to_table")}</a></div></section>`;
}

/** @param {Step} step @param {number} index */
function stepTab(step, index) {
  const mark = marks()[step];
  return html`<li><button type="button" class="key step-key" data-mark=${mark} aria-current=${step === current() ? "step" : "false"} @click=${() => go(step)}><b>${mark === "done" ? "✓" : index + 1}</b> <span class="step-name">${t(`page.start.short.${step}`)}</span> <span class="unseen">${t(`page.start.mark.${mark}`)}</span></button></li>`;
}

function draw() {
  if (!snapshot) return;
  const step = current();
  render(
    html`<nav aria-label=${t("page.start.steps")}><ol class="step-keys">${steps().map(stepTab)}</ol></nav>${step === null ? endCard() : stepCard(step)}`,
    root,
  );
}

// Only while the page is visible: judge pictures, poll buttons and faults.
async function look() {
  const step = current();
  if (snapshot && step && !document.hidden) {
    if (PARTS[step]) {
      const answer = await ask("GET", "/api/calibration");
      refused = answer.ok ? "" : answer.text;
      calibration = answer.snapshot ?? calibration;
    } else if (["camera", "ring", "lamps", "buttons"].includes(step)) await learnParts();
    else if (step === "roll") await learnRolls();
    looks += 1;
    draw();
  }
  setTimeout(look, LOOK_MS);
}

/** @param {string} path */
const learn = async (path) => (await ask("GET", path)).snapshot;

async function learnParts() {
  const [found, health] = await Promise.all([learn("/api/bring-up"), learn("/api/health")]);
  parts = found ?? parts;
  faults = health?.faults ?? faults;
}

async function learnRolls() {
  const log = await learn(`/api/rolls?limit=${ROWS}`);
  if (log) read = readings(log.rolls);
}

async function learnRoles() {
  played = (await learn("/api/roles")) ?? played;
}

async function load() {
  const [told, rules, seen] = await Promise.all([
    learn("/api/settings"),
    learn("/api/rulings"),
    learnPhones(),
    learnParts(),
    learnRolls(),
    learnRoles(),
  ]);
  phones = seen;
  systems = rules?.systems ?? [];
  settings = told ?? null;
  draw();
}

const hear = follow((latest, isFirst) => {
  snapshot = latest;
  if (isFirst) load();
  else draw();
});
look();
