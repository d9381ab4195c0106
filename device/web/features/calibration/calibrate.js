// @ts-check
// The calibration page: shows the camera's view, collects pictures, checks and saves. Its only state is the corners
// being tapped; everything else comes from the tray, so a reload is right.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { points } from "../../ui/lib/drawing.js";
import { remember, remembered } from "../../ui/lib/first-start.js";
import { maybe, t } from "../../ui/lib/texts.js";
import { html, nothing, render, svg } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { livePicture } from "../../ui/components/picture.js";
import { checkLine, readMark, withCure } from "../../ui/components/read-marks.js";
import { ruleWord } from "../../ui/lib/words.js";

const LOOK_MS = 1500;
// The empty tray needs several pictures in a row, which takes a small computer a while.
const WORK_MS = 60000;

/** @import { Calibration, Die, Point } from "../../ui/lib/types.js" */
/** @typedef {{ dice: Die[], trusted: boolean, warnings: string[] }} Proof */

/** @type {HTMLCanvasElement} */
const picture = element(
  html`<canvas id="picture" class="live" width="1280" height="960" @click=${tapCorner}></canvas>`,
);
const noPicture = element(html`<p id="no-picture" class="quiet">${t("page.calibrate.no_picture")}</p>`);
/** @type {Calibration | null} */
let seen = null;
/** @type {Point[] | null} */
let corners = null;
/** @type {Proof | null} */
let proof = null;
/** What is being measured. */
let busy = "";
let report = "";

/** @param {string} text */
function say(text) {
  report = text;
  draw();
}

/** Sends what was done; what the tray then sees is shown with a word, unless it refuses. */
/** @param {string} path @param {object} body @param {(answer: any) => string} word */
async function send(path, body, word, meanwhile = t("page.calibrate.moment")) {
  say(meanwhile);
  const answer = await ask("POST", `/api/calibration/${path}`, body, WORK_MS);
  if (answer.ok && "checks" in answer.snapshot) seen = answer.snapshot;
  say(answer.ok ? word(answer.snapshot) : answer.text);
}

async function look() {
  const answer = await ask("GET", "/api/calibration");
  if (answer.ok) seen = answer.snapshot;
  else report = answer.text;
  draw();
  setTimeout(look, LOOK_MS);
}

/** @param {string} what @param {string} meanwhile @param {(answer: any) => string} word */
async function measure(what, meanwhile, word) {
  busy = what;
  await send(what, {}, word, meanwhile);
  busy = "";
  draw();
}

const takeEmpty = () =>
  send("empty", {}, () => {
    proof = null;
    return t("page.calibrate.empty_taken");
  });

function find() {
  corners = null;
  send("corners", { corners }, () => t("page.calibrate.looked_for"));
}

function turnTapping() {
  corners = corners === null ? [] : null;
  if (corners) say(t("page.calibrate.tap_four"));
  else draw();
}

/** @param {MouseEvent} event */
async function tapCorner({ clientX, clientY }) {
  if (corners === null || seen === null) return;
  const { left, top, width, height } = picture.getBoundingClientRect();
  corners.push([((clientX - left) / width) * seen.width, ((clientY - top) / height) * seen.height]);
  draw();
  if (corners.length < 4) return;
  const tapped = corners;
  await send("corners", { corners: tapped }, () => t("page.calibrate.shown"));
  corners = null;
  draw();
}

/** @param {Proof} read */
function prove(read) {
  proof = read;
  const verdict = read.dice.length === 0 ? "no_dice" : read.trusted ? "all_trusted" : "not_all";
  return t(`page.calibrate.${verdict}`);
}

/** @param {{ path: string }} saved */
function keep({ path }) {
  const memory = remembered();
  remember({ ...memory, marks: { ...memory.marks, calibrate: "done" } });
  return t("page.calibrate.saved", { path });
}

/** @param {string} name @param {() => unknown} onTap @param {{ text?: string, off?: boolean, kind?: string }} [how] */
const key = (name, onTap, { text = t(`page.calibrate.${name}`), off = false, kind = "tool" } = {}) =>
  html`<button type="button" id=${name} class=${kind} data-testid="calibration-${name}" ?disabled=${off} @click=${onTap}>${text}</button>`;

/** @param {string} name @param {unknown} inside */
const step = (name, inside, text = "") =>
  html`<li class="card" data-step=${name}><h2>${t(`page.calibrate.${name}`)}</h2>${text ? html`<p class="quiet">${t(text)}</p>` : nothing}${inside}</li>`;

function marks() {
  if (!seen) return nothing;
  const floor = seen.floor ? svg`<polygon class="floor" points=${points(seen.floor.outline_px)}></polygon>` : nothing;
  const tapped = (corners ?? []).map(([x, y]) => svg`<circle class="corner" cx=${x} cy=${y} r="14"></circle>`);
  const dice = (proof?.dice ?? []).map((die) => readMark(die, ruleWord(die.colour ?? "")));
  return html`<svg id="drawn" viewBox="0 0 ${seen.width} ${seen.height}" aria-hidden="true">${floor}${tapped}${dice}</svg>`;
}

function draw() {
  const { checks = [], labels = [], dice = {}, path = "" } = seen ?? {};
  const hasEmpty = Boolean(seen?.has_empty);
  const hasDice = Boolean(seen?.has_dice);
  const measures = {
    focus: () =>
      measure("focus", t("page.calibrate.focusing"), ({ dioptres }) => t("page.calibrate.focused", { dioptres })),
    light: () => measure("light", t("page.calibrate.measuring_light"), () => t("page.calibrate.light_measured")),
  };
  const lines = checks.map(({ part, verdict, text, cure }) => {
    const how = t("page.calibrate.check", { status: t(`page.calibrate.${verdict}`), text });
    return checkLine(verdict, withCure(how, cure), maybe(`page.calibrate.part.${part}`) ?? part);
  });
  const classes = labels.map((label) => {
    const name = ruleWord(label);
    const take = () => send("dice", { label }, ({ count }) => t("page.calibrate.dice_taken", { count, label: name }));
    return html`<li><button type="button" class="tool" data-label=${label} data-testid="calibration-dice" ?disabled=${!hasEmpty} @click=${take}>${dice[label] ? t("page.calibrate.label_taken", { label: name }) : name}</button></li>`;
  });
  const warnings = (proof?.warnings ?? []).map((text) => checkLine("warn", text, t("page.calibrate.note")));
  render(
    html`<section class="stage read-picture ${corners ? "is-tapping" : ""}" aria-label=${t("page.table.picture")}>${picture}${marks()}${noPicture}</section>
      <ol class="steps">
        ${step(
          "look",
          html`${seen?.can_focus ? html`<div class="row">${key("focus", measures.focus, { off: busy === "focus" })}</div>` : nothing}
          ${seen?.can_measure_light ? html`<div class="row">${key("light", measures.light, { off: busy === "light" })}</div>` : nothing}
          <ul class="checks" data-testid="calibration-checks">${lines}</ul>
          <div class="row"><button type="button" id="tap" class="tool" aria-pressed=${corners !== null} @click=${turnTapping}>${t("page.calibrate.tap")}</button>${key("find", find)}</div>`,
          "page.calibrate.look_text",
        )}
        ${step(
          "empty",
          html`<div class="row">${key("empty", takeEmpty, { text: t("page.calibrate.take_empty") })}${hasEmpty ? html`<b class="in-use">${t("page.calibrate.taken")}</b>` : nothing}</div>`,
        )}
        ${step("dice", html`<ul class="row">${classes}</ul>`, "page.calibrate.dice_text")}
        ${step(
          "proof",
          html`<div class="row">${key("proof", () => send("proof", {}, prove), { text: t("page.calibrate.read"), off: !hasEmpty })}</div><ul class="checks">${warnings}</ul>`,
          "page.calibrate.proof_text",
        )}
        ${step(
          "keep",
          html`<div class="row">${key("save", () => send("save", {}, keep), { off: !hasEmpty || !hasDice, kind: "tool go" })}</div>
          ${hasDice ? nothing : html`<p class="quiet">${t("page.calibrate.dice_first")}</p>`}
          <p id="path" class="quiet">${path}</p>`,
        )}
      </ol>
      <p class="report" role="status" aria-live="polite" data-testid="calibration-report">${report}</p>`,
    byId("calibrate"),
  );
}

draw();
livePicture(picture, noPicture, () => true);
look();
