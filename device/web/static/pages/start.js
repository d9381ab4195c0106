// @ts-check
// The first start, step by step: rules, colours of the dice, light, calibration, first roll. Each step says what to do next,
// each may be left out, and whoever comes back goes on where he was.

import { ask } from "../lib/api.js";
import { byId, valueOf } from "../lib/dom.js";
import { paint } from "../lib/drawing.js";
import { STEPS, after, marksOf, remember, remembered, stepToShow, worstOf } from "../lib/first-start.js";
import { maybe, t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { headline, numberOf } from "../lib/words.js";
import { learnPhones, letInKey } from "../components/let-in.js";
import { follow, say } from "../components/page.js";
import { rulesLook } from "../components/rules-look.js";

/** @import { Phones, Snapshot } from "../lib/types.js" */
/** @import { Looks } from "../components/rules-look.js" */
/** @import { Mark, Step } from "../lib/first-start.js" */
/** @import { Setting } from "../lib/settings-fields.js" */
/** @import { Settings } from "../components/setting-row.js" */
/** @typedef {{ part: string, verdict: string, text: string, cure?: string | null }} Check */

const LOOK_MS = 1500;
const LIGHT_PARTS = ["light", "focus", "level", "place"];

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
let hasRolled = false;
let memory = remembered();
/** @type {Step | null | undefined} what was chosen by hand; undefined: nothing */
let chosen;

/** @returns {Record<Step, Mark>} */
const marks = () => marksOf(memory, { isCalibrated: Boolean(snapshot?.profile), hasRolled });
const current = () => (chosen === undefined ? stepToShow(memory, marks()) : chosen);

/** @param {Step | null} step */
function go(step) {
  chosen = step;
  memory = { ...memory, at: step };
  remember(memory);
  draw();
  root.querySelector("h2")?.focus();
}

/**
 * @param {Step} step
 * @param {Mark} mark
 */
function leave(step, mark) {
  memory = after(memory, step, mark);
  go(stepToShow(memory, marks()));
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
  const keys = systems.map((one) => html`<button type="button" class="key rules-key" data-system=${one.id} aria-pressed=${one.id === snapshot?.system} @click=${() => chooseSystem(one.id)}><b>${one.title}</b>${rulesLook(one, snapshot?.colours)}</button>`);
  return html`<p>${t("page.start.system_text")}</p><div class="rules-keys" role="group" aria-label=${t("page.start.system")}>${keys}</div>`;
}

/** @param {Setting} setting */
function colourRow(setting) {
  const now = setting.value ?? setting.usual;
  return html`<label class="field colour-field" data-key=${setting.key}><span><span class="swatch" .style=${paint("any", { any: String(now) })}></span>${setting.title}</span>
    <select ?disabled=${!settings?.may_change} @change=${(/** @type {Event} */ event) => chooseColour(setting, valueOf(event))}>${setting.words.map(({ value, title }) => html`<option value=${value} ?selected=${value === now}>${title}</option>`)}</select></label>`;
}

function coloursBody() {
  const dice = settings?.groups.find((group) => group.name === "dice")?.settings ?? [];
  const isLate = dice.some((one) => one.pending);
  const note = !settings ? "page.start.colours_none" : !settings.may_change ? "page.start.colours_elsewhere" : isLate ? "page.start.colours_restart" : null;
  return html`<p>${t("page.start.colours_text")}</p>${dice.map(colourRow)}${note ? html`<p class="quiet">${t(note)}</p>` : nothing}`;
}

/** @param {Check} check */
function checkLine(check) {
  const part = maybe(`page.calibrate.part.${check.part}`) ?? check.part;
  return html`<li class="check is-${check.verdict}"><b>${t(`page.calibrate.${check.verdict}`)}</b> <span>${part}: ${check.cure ? t("page.calibrate.cure", { text: check.text, cure: check.cure }) : check.text}</span></li>`;
}

function lightBody() {
  const seen = (checks ?? []).filter((check) => LIGHT_PARTS.includes(check.part));
  const verdict = looked || (checks ? t(`page.start.light_${worstOf(seen)}`) : t("page.start.light_looks"));
  return html`<p>${t("page.start.light_text")}</p><ul class="checks">${seen.map(checkLine)}</ul><p role="status">${verdict}</p>`;
}

function calibrateBody() {
  if (snapshot?.profile) return html`<p>${t("page.start.calibrated", { name: snapshot.profile })}</p>`;
  return html`<p>${t(snapshot?.simulated ? "page.start.calibrate_simulated" : "page.start.calibrate_text")}</p><div class="row"><a class="tool link go-there" href="/calibrate?from=start" data-testid="to-calibration">${t("page.start.to_calibration")}</a></div>`;
}

function rollBody() {
  if (!snapshot) return nothing;
  const [title, lead] = headline(snapshot);
  const [value, word] = snapshot.outcome ? numberOf(snapshot.outcome) : ["", ""];
  return html`<p>${t("page.start.roll_text")}</p>
    <p role="status" class="first-roll" data-testid="first-roll"><b>${value} ${word}</b> ${title}. ${lead}</p>
    ${snapshot.simulated && snapshot.presses.throw.allowed && !hasRolled ? html`<div class="row"><button type="button" class="tool" data-testid="throw" @click=${throwSome}>${t("page.table.throw")}</button></div>` : nothing}`;
}

const BODIES = { system: systemBody, colours: coloursBody, light: lightBody, calibrate: calibrateBody, roll: rollBody };

/** @param {Step} step */
function stepCard(step) {
  const isRolled = step !== "roll" || hasRolled;
  const end = html`<div class="row spread">
    <button type="button" class="tool" data-testid="skip" @click=${() => leave(step, "skipped")} ?hidden=${marks()[step] === "done"}>${t("page.start.skip")}</button>
    <button type="button" class="button go" data-testid="next" ?disabled=${!isRolled} @click=${() => leave(step, "done")}>${t("page.start.next")}</button>
  </div>`;
  return html`<section class="card step-card" data-step=${step}><h2 tabindex="-1">${t(`page.start.${step}`)}</h2>${BODIES[step]()}${end}</section>`;
}

function endCard() {
  const skipped = STEPS.filter((step) => marks()[step] === "skipped");
  return html`<section class="card step-card" data-step="end"><h2 tabindex="-1">${t("page.start.end")}</h2>
    <p>${t(skipped.length ? "page.start.end_skipped" : "page.start.end_text", { steps: skipped.map((step) => t(`page.start.short.${step}`)) })}</p>
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
  render(html`<nav aria-label=${t("page.start.steps")}><ol class="step-keys">${STEPS.map(stepTab)}</ol></nav>${step === null ? endCard() : stepCard(step)}`, root);
}

// Only while somebody looks at it: the camera's picture is judged for it.
async function look() {
  if (snapshot && current() === "light" && !document.hidden) {
    const answer = await ask("GET", "/api/calibration");
    looked = answer.ok ? "" : answer.text;
    if (answer.ok) checks = /** @type {any} */ (answer.snapshot).checks;
    draw();
  }
  setTimeout(look, LOOK_MS);
}

async function load() {
  const [told, rules, rolls, seen] = await Promise.all([ask("GET", "/api/settings"), ask("GET", "/api/rulings"), ask("GET", "/api/rolls?limit=1"), learnPhones()]);
  phones = seen;
  systems = rules.ok ? /** @type {any} */ (rules.snapshot).systems : [];
  settings = told.ok ? /** @type {any} */ (told.snapshot) : null;
  hasRolled = rolls.ok && rolls.snapshot.rolls.length > 0;
  draw();
}

const hear = follow((latest, isFirst) => {
  snapshot = latest;
  if (latest.outcome && latest.state !== "unclear") hasRolled = true;
  if (isFirst) load();
  else draw();
});
look();
