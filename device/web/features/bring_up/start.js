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
import { follow, say } from "../../ui/components/page.js";
import { readPicture } from "../../ui/components/read-marks.js";
import { rulesLook } from "../../ui/components/rules-look.js";

/** @import { Phones, Snapshot } from "../../ui/lib/types.js" */
/** @import { Looks } from "../../ui/components/rules-look.js" */
/** @import { Mark, Step } from "../../ui/lib/first-start.js" */
/** @import { Setting } from "../../ui/lib/settings-fields.js" */
/** @import { Settings } from "../../ui/components/setting-row.js" */
/** @typedef {{ part: string, verdict: string, text: string, cure?: string | null }} Check */

const LOOK_MS = 1500;
const ROWS = 120;
/** Parts of the calibration's look that a step is about. @type {Partial<Record<Step, string[]>>} */
const PARTS = { view: ["place", "level"], focus: ["focus"], light: ["light"], relight: ["light"] };

const root = byId("start");
/** @type {Snapshot | null} */
let snapshot = null;
/** @type {Settings | null} */
let settings = null;
/** @type {Check[] | null} */
let checks = null;
/** @type {({ id: string, title: string } & Looks)[]} */
let systems = [];
/** @type {Phones | null} */
let phones = null;
let looked = "";
let measured = "";
let read = readings([]);
/** @type {ReturnType<typeof readPicture> | null} */
let live = null;
/** @type {{ classes: string[], systems: { id: string, allowed: string[], roles: Record<string, string | null> }[] }} */
let played = { classes: [], systems: [] };
/** @type {{ can_focus?: boolean, can_measure_light?: boolean }} */
let can = {};
/** @typedef {{ hz: number, by: "setting" | "zone" | "nothing", zone: string | null }} Mains */
/** @type {{ cameras: { name: string, title: string, in_use: boolean }[], ring: boolean, panel: boolean, mains: Mains | null, presses: Record<string, number> }} */
let parts = { cameras: [], ring: false, panel: false, mains: null, presses: {} };
/** @type {Record<string, string>} */
let faults = {};
/** Changes with every look, so that pictures are requested again. */
let looks = 0;
let memory = remembered();
const asked = /** @type {Step} */ (new URLSearchParams(location.search).get("step"));
/** @type {Step | null | undefined} what was chosen by hand; undefined: nothing */
let chosen = STEPS.includes(asked) ? asked : undefined;

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

/**
 * @param {Step} step
 * @param {Mark} mark
 */
function leave(step, mark) {
  memory = after(memory, step, mark, steps());
  go(stepToShow(memory, marks(), steps()));
}

/** @param {string} system */
async function chooseSystem(system) {
  const answer = await ask("PUT", "/api/system", { system });
  if (!answer.ok) say(answer.text);
  else hear(answer.snapshot);
}

/**
 * @param {Setting} setting
 * @param {string} colour
 */
async function chooseColour(setting, colour) {
  const answer = await ask("PUT", `/api/settings/${setting.key}`, { value: colour });
  if (answer.ok) settings = /** @type {any} */ (answer.snapshot);
  else say(answer.text);
  draw();
}

async function throwSome() {
  const answer = await ask("POST", "/api/throw", { ...(snapshot?.pool ?? snapshot?.example_pool) });
  if (!answer.ok) say(answer.text);
}

function systemBody() {
  const keys = systems.map(
    (one) =>
      html`<button type="button" class="key rules-key" data-system=${one.id} aria-pressed=${one.id === snapshot?.system} @click=${() => chooseSystem(one.id)}><b>${one.title}</b>${rulesLook(one, snapshot?.colours)}</button>`,
  );
  return html`<div class="rules-keys" role="group" aria-label=${t("page.start.system")}>${keys}</div>`;
}

/** @param {Setting} setting */
function colourRow(setting) {
  const now = setting.value ?? setting.usual;
  return html`<label class="field colour-field" data-key=${setting.key}><span><span class="swatch" .style=${paint("any", { any: String(now) })}></span>${setting.title}</span>
    <select ?disabled=${!settings?.may_change} @change=${(/** @type {Event} */ event) => chooseColour(setting, valueOf(event))}>${setting.words.map(({ value, title }) => html`<option value=${value} ?selected=${value === now}>${title}</option>`)}</select></label>`;
}

// Where a system has a wild die, no colour tells which one it is.
function wildRow() {
  const system = played.systems.find(({ id }) => id === snapshot?.system);
  if (!system?.allowed.includes("wild")) return nothing;
  const { allowed, roles } = system;
  /** @param {string} label */
  async function choose(label) {
    const others = Object.keys(roles).filter((one) => roles[one] === "wild");
    const changed = Object.fromEntries([...others.map((one) => [one, allowed[0]]), [label, "wild"]]);
    const answer = await ask("PUT", `/api/roles/${system?.id}`, { roles: changed });
    if (answer.ok) await learnRoles();
    else say(answer.text);
    draw();
  }
  return html`<div role="group" aria-label=${t("page.start.wild")} data-testid="wild"><b>${t("page.start.wild")}</b><div class="row">${played.classes.map((label) => html`<button type="button" class="key" data-class=${label} aria-pressed=${roles[label] === "wild"} @click=${() => choose(label)}><span class="swatch" .style=${paint(label, snapshot?.colours)}></span>${plainWord(label)}</button>`)}</div></div>`;
}

function coloursBody() {
  const dice = settings?.groups.find((group) => group.name === "dice")?.settings ?? [];
  const isLate = dice.some((one) => one.pending);
  const note = !settings
    ? "page.start.colours_none"
    : !settings.may_change
      ? "page.start.colours_elsewhere"
      : isLate
        ? "page.start.colours_restart"
        : null;
  return html`${dice.map(colourRow)}${wildRow()}${note ? html`<p class="quiet">${t(note)}</p>` : nothing}`;
}

/** @param {Check} check */
function checkLine(check) {
  const part = maybe(`page.calibrate.part.${check.part}`) ?? check.part;
  return html`<li class="check is-${check.verdict}"><b>${t(`page.calibrate.${check.verdict}`)}</b> <span>${part}: ${check.cure ? t("page.calibrate.cure", { text: check.text, cure: check.cure }) : check.text}</span></li>`;
}

/**
 * @param {string} path
 * @param {string} label
 */
function measureKey(path, label) {
  const go = async () => {
    measured = t("page.start.moment");
    draw();
    const answer = await ask("POST", path, {}, 60_000);
    measured = answer.ok ? t("page.start.measured") : answer.text;
    draw();
  };
  return html`<div class="row"><button type="button" class="tool" data-testid="measure" @click=${go}>${label}</button><span role="status">${measured}</span></div>`;
}

/** @param {number} hz */
async function chooseMains(hz) {
  const answer = await ask("PUT", "/api/settings/pi.mains_hz", { value: hz });
  say(answer.ok ? t("page.settings.restarting") : answer.text);
  if (answer.ok) await ask("POST", "/api/restart", {});
}

/** @param {Mains} mains */
function mainsRow({ hz, by, zone }) {
  const keys = [50, 60].map(
    (one) =>
      html`<button type="button" class="key" data-hz=${one} aria-pressed=${by !== "nothing" && one === hz} @click=${() => chooseMains(one)}>${one} Hz</button>`,
  );
  return html`<div role="group" aria-label=${t("page.start.mains")} data-testid="mains"><b>${t("page.start.mains")}</b><div class="row">${keys}</div><p class="quiet">${t(`page.start.mains_by.${by}`, { hz, zone: zone ?? "" })}</p></div>`;
}

/** @param {Step} step */
const checksOf = (step) => (checks ?? []).filter((check) => PARTS[step]?.includes(check.part));

/** @param {Step} step */
function lookBody(step) {
  const seen = checksOf(step);
  const verdict = looked || (checks ? t(`page.start.light_${worstOf(seen)}`) : t("page.start.light_looks"));
  return html`<div class="with-picture"><img class="live" src="/api/frame.jpg?width=480&of=${looks}" alt=${t("page.table.picture")} width="480" height="360"><div><ul class="checks">${seen.map(checkLine)}</ul><p role="status">${verdict}</p>
    ${step === "focus" && can.can_focus ? measureKey("/api/calibration/focus", t("page.calibrate.focus")) : nothing}
    ${step === "light" && parts.mains ? mainsRow(parts.mains) : nothing}
    ${(step === "light" || step === "relight") && can.can_measure_light ? measureKey("/api/calibration/light", t("page.calibrate.light")) : nothing}</div></div>`;
}

/** @param {string} name */
async function useCamera(name) {
  const answer = await ask("PUT", "/api/bring-up/camera", { name });
  say(answer.ok ? t("page.settings.restarting") : answer.text);
}

function cameraBody() {
  const cards = parts.cameras.map(({ name, title, in_use: inUse }) => {
    const source = inUse
      ? `/api/frame.jpg?width=320&of=${looks}`
      : `/api/bring-up/camera.jpg?name=${encodeURIComponent(name)}`;
    return html`<li class="camera" data-camera=${name} data-in-use=${inUse}><b>${title}</b>
      ${inUse || name !== "simulated" ? html`<img class="live" src=${source} alt=${t("page.start.sees", { camera: title })} width="320" height="240">` : html`<p>${t("page.start.simulated_text")}</p>`}
      ${inUse ? html`<span class="in-use">${t("page.start.in_use")}</span>` : html`<button type="button" class="tool" data-testid="use-camera" @click=${() => useCamera(name)}>${t("page.start.use")}</button>`}</li>`;
  });
  return html`${faults.camera ? html`<ul class="checks">${measuredLine(false, faults.camera)}</ul>` : nothing}<ul class="cameras">${cards}</ul>`;
}

/**
 * @param {boolean} isGood
 * @param {string} text
 */
const measuredLine = (isGood, text) =>
  html`<li class="check is-${isGood ? "ok" : "fail"}"><b>${t(isGood ? "page.calibrate.ok" : "page.calibrate.fail")}</b> <span>${text}</span></li>`;

const ringBody = () =>
  html`<ul class="checks">${measuredLine(!faults.ring, faults.ring ?? t("page.start.ring_answers"))}</ul>`;

async function tryLamps() {
  const answer = await ask("POST", "/api/bring-up/lamps", {});
  if (!answer.ok) say(answer.text);
}

const lampsBody = () =>
  html`<ul class="checks">${faults.panel ? measuredLine(false, faults.panel) : nothing}</ul><ol class="lamp-names">${Object.keys(snapshot?.lamps ?? {}).map((name) => html`<li>${t(`page.lamp.${name}`)}</li>`)}</ol><div class="row"><button type="button" class="tool" data-testid="try-lamps" @click=${tryLamps}>${t("page.start.try_lamps")}</button></div>`;
const buttonsBody = () =>
  html`<ul class="checks">${Object.entries(parts.presses).map(([name, count]) => (count > 0 ? measuredLine(true, t("page.start.pressed", { button: t(`page.table.${name}`) })) : html`<li class="check">${t("page.start.not_pressed", { button: t(`page.table.${name}`) })}</li>`))}</ul>`;

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
  return html`<p class="check is-${verdict}" data-testid="verdict"><b>${t(`page.start.verdict.${verdict}`)}</b></p>`;
}

function rollBody() {
  if (!snapshot) return nothing;
  live ??= readPicture();
  live.show(snapshot);
  const { title, lead } = snapshot.display;
  const [value, word] = snapshot.outcome ? numberOf(snapshot.outcome) : ["", ""];
  return html`<div class="with-picture">${live.node}<div>
    <p data-testid="read"><b>${t("page.start.read", { count: read.rolls, most: ENOUGH_ROLLS })}</b>${read.rolls ? ` ${t("page.start.read_how", read)}` : nothing}</p>
    ${read.rolls >= ENOUGH_ROLLS ? verdictLine() : nothing}
    <p role="status" class="first-roll" data-testid="first-roll"><b>${value} ${word}</b> ${title}. ${lead}</p>
    <div class="row"><a class="tool link" href="/">${t("page.start.correct")}</a>${snapshot.simulated && snapshot.presses.throw.allowed ? html`<button type="button" class="tool" data-testid="throw" @click=${throwSome}>${t("page.table.throw")}</button>` : nothing}</div></div></div>
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

/**
 * Whether nothing measured stands against a step; what is left with a fault or undone is skipped.
 * @param {Step} step
 */
function isReady(step) {
  if (PARTS[step]) return Boolean(checks) && !looked && worstOf(checksOf(step)) !== "fail";
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
    ${read.rolls >= ENOUGH_ROLLS ? html`<p>${t("page.start.read_how", read)}</p>${verdictLine()}` : nothing}
    <div class="row">${letInKey(phones, say)}<a class="button go link" href="/" data-testid="to-table">${t("page.start.to_table")}</a></div></section>`;
}

/**
 * @param {Step} step
 * @param {number} index
 */
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
      looked = answer.ok ? "" : answer.text;
      if (answer.ok) ({ checks, ...can } = /** @type {any} */ (answer.snapshot));
    } else if (["camera", "ring", "lamps", "buttons"].includes(step)) await learnParts();
    else if (step === "roll") await learnRolls();
    looks += 1;
    draw();
  }
  setTimeout(look, LOOK_MS);
}

async function learnParts() {
  const [answer, health] = await Promise.all([ask("GET", "/api/bring-up"), ask("GET", "/api/health")]);
  if (answer.ok) parts = /** @type {any} */ (answer.snapshot);
  if (health.ok) ({ faults } = /** @type {any} */ (health.snapshot));
}

async function learnRolls() {
  const answer = await ask("GET", `/api/rolls?limit=${ROWS}`);
  if (answer.ok) read = readings(answer.snapshot.rolls);
}

async function learnRoles() {
  const answer = await ask("GET", "/api/roles");
  if (answer.ok) played = /** @type {any} */ (answer.snapshot);
}

async function load() {
  const [told, rules, seen] = await Promise.all([
    ask("GET", "/api/settings"),
    ask("GET", "/api/rulings"),
    learnPhones(),
    learnParts(),
    learnRolls(),
    learnRoles(),
  ]);
  phones = seen;
  systems = rules.ok ? /** @type {any} */ (rules.snapshot).systems : [];
  settings = told.ok ? /** @type {any} */ (told.snapshot) : null;
  draw();
}

const hear = follow((latest, isFirst) => {
  snapshot = latest;
  if (isFirst) load();
  else draw();
});
look();
