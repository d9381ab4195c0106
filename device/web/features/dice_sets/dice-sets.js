// @ts-check
// Taught dice: throws are shown to the tray, each new face is named with one tap. The tray stores everything.

import { ask } from "../../ui/lib/api.js";
import { byId, pickedFile, valueOf } from "../../ui/lib/dom.js";
import { icon, paint } from "../../ui/lib/drawing.js";
import { kindWord, valuesOf } from "../../ui/lib/step-dice.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { panel } from "../../ui/components/dialog.js";
import { doubtPictures, doubtWords } from "../../ui/components/learn-faces.js";
import { follow, say } from "../../ui/components/page.js";
import { readPicture } from "../../ui/components/read-marks.js";
import { faceWord, plainWord } from "../../ui/lib/words.js";

/** @import { Point, Snapshot } from "../../ui/lib/types.js" */
/** @typedef {{ colour: string, sides: number, value: number, times: number, views: number, picture: string }} Face */
/** @typedef {{ key: number, colour: string, sides: number, pips: number | null, guess: number | null, picture: string }} NewFace */
/** @typedef {{ name: string, can_undo: boolean, faces: Face[], progress: { known: number, of: number | null } }} DiceSet */
/** @typedef {{ sets: DiceSet[], deleted: string[], waiting: NewFace[] }} Taught */
/** @import { Doubt } from "../../ui/components/learn-faces.js" */
/** @typedef {{ set: string, colour: string, sides: number, value: number, views: { key: string, picture: string }[] }} Opened */
/** @typedef {{ file: Blob, free: string }} Taken a file whose set has another one's name */

// A small computer takes a while to read the tray and a whole new set.
const WORK_MS = 60000;
const LESSON_MS = 3000;
const KIND = "application/vnd.pushtray-dice+json";

/** @type {Snapshot | null} */
let snapshot = null;
/** @type {Taught} */
let taught = { sets: [], deleted: [], waiting: [] };
let isAllowed = true;
/** @type {(Doubt & { key: number }) | null} */
let doubt = null;
/** @type {Opened | null} */
let opened = null;
/** @type {Taken | null} */
let taken = null;
let name = "";
/** @type {string | null} */
let colour = null;
let sides = 6;
let isThrown = false;
let isLesson = false;
/** What was read at the last look; nothing while dice move. @type {{ top_quad_px: Point[], value: number | null, unread: string | null }[]} */
let seen = [];
/** @type {ReturnType<typeof readPicture> | null} */
let live = null;
/** What the tray can't read until it is taught: a symbol, a numeral, more than six sides. */
const EXAMPLES = /** @type {const} */ ([
  [icon("wild"), "base"],
  ["3", "skill"],
  ["12", "gear"],
]);

/** @param {string} [of] */
const path = (of = name) => `/api/dice-sets/${encodeURIComponent(of)}`;
// Acts on the first tap of a double tap: the second one would change the next face, which is in its place by then.
/** @param {() => unknown} act */
const once = (act) => (/** @type {MouseEvent} */ event) => event.detail < 2 && act();
/** @param {string} name @param {unknown} words @param {() => unknown} act @param {string} [label] */
const key = (name, words, act, label) =>
  html`<button type="button" class="tool" data-testid=${name} aria-label=${label ?? nothing} @click=${once(act)}>${words}</button>`;

/** The latest request; the next one waits for it, since an earlier answer that comes later would hide new faces. */
/** @type {Promise<unknown>} */
let latestRequest = Promise.resolve();

/** @param {string} method @param {string} where @param {object} [body] */
function send(method, where, body, isManual = true) {
  const request = latestRequest.then(() => sendNow(method, where, body, isManual));
  latestRequest = request.catch(() => {});
  return request;
}

/** @param {string} method @param {string} where @param {object} [body] */
async function sendNow(method, where, body, isManual = true) {
  const answer = await ask(method, where, body, WORK_MS);
  if (answer.reason === "not_allowed") isAllowed = false;
  if (answer.ok) taught = answer.snapshot;
  else if (answer.reason !== "contradiction" && answer.reason !== "exists") {
    if (isManual) say(answer.text);
    // Another page may have named the face.
    if (method !== "GET" && isAllowed) await sendNow("GET", "/api/dice-sets");
  }
  draw();
  return answer;
}

async function look(isManual = true) {
  if (!name || !colour) return;
  const answer = await send("POST", `${path()}/show`, { colour, sides }, isManual);
  seen = answer.snapshot?.seen ?? [];
  draw();
}

// While dice are shown, no throw is a roll.
async function holdLesson() {
  if (name && colour && isAllowed && !document.hidden) await ask("POST", "/api/dice-sets/lesson", {});
}

/** @param {number} key @param {number} value @param {boolean} [anyway] */
async function nameFace(key, value, anyway = false) {
  doubt = null;
  const answer = await send("POST", `${path()}/faces`, { key, value, anyway });
  if (answer.ok || answer.reason !== "contradiction") return;
  doubt = { key, ...answer.nearest };
  draw();
}

/** @param {Doubt & { key: number }} doubted */
function doubtCard(doubted) {
  const { key: id, value, other } = doubted;
  const another = () => {
    doubt = null;
    draw();
  };
  return html`<section class="card new-face" role="alert"><p>${doubtWords(doubted)}</p>${doubtPictures(doubted)}
    <div class="row">${value === other ? key("same-face", t("page.dice_sets.another"), another) : key("same-face", t("page.dice_sets.same", { other: faceWord(other) }), () => nameFace(id, other))}
    ${key("other-face", t("page.dice_sets.anyway", { one: faceWord(value) }), () => nameFace(id, value, true))}</div></section>`;
}

/** @param {NewFace} face */
function nameCard(face) {
  const guesses = taught.waiting.flatMap(({ guess }) => (guess === null ? [] : [guess]));
  const hint = face.pips ?? face.guess;
  // Only a six-sided die may be blank.
  const values = [...valuesOf(face.sides), ...(face.sides === 6 ? [0] : [])];
  return html`<section class="card new-face" data-testid="new-face" data-key=${face.key}><h2>${t("page.dice_sets.new_face", { colour: plainWord(face.colour) + kindWord(face.sides) })}</h2>
    <figure class="two-faces"><img src=${face.picture} alt=${t("page.dice_sets.face")}></figure>
    <div class="row">${values.map((value) => html`<button type="button" class="tool" data-value=${value} aria-pressed=${hint === value} @click=${once(() => nameFace(face.key, value))}>${faceWord(value)}</button>`)}
    ${key("skip-face", t("page.dice_sets.skip"), () => send("DELETE", `/api/dice-sets/waiting/${face.key}`))}</div>
    ${guesses.length > 1 ? key("numerals", t("page.dice_sets.numerals", { values: guesses.join(", ") }), () => send("POST", `${path()}/numerals`)) : nothing}
  </section>`;
}

/** @typedef {{ colour: string, sides: number, value: number }} OneFace */
/** @param {OneFace} face */
const faceName = ({ colour, sides, value }) => `${plainWord(colour)}${kindWord(sides)} ${faceWord(value)}`;
/** @param {string} set @param {OneFace} face @param {string} [of] a part of it */
const facePath = (set, { colour, sides, value }, of = "") =>
  `${path(set)}/faces/${encodeURIComponent(colour)}/${value}${of}?sides=${sides}`;

const viewsPanel = panel("face-views", t("page.dice_sets.views"));

/** Opens the pictures of a face. @param {string} set @param {OneFace} face */
async function openViews(set, { colour, sides, value }) {
  const { ok, snapshot: found } = await ask("GET", facePath(set, { colour, sides, value }, "/views"));
  opened = ok ? { set, colour, sides, value, views: found.views } : null;
  if (!ok) return viewsPanel.close();
  drawViews();
  viewsPanel.open();
}

function drawViews() {
  const face = opened;
  if (!face) return;
  const { set, views } = face;
  /** @param {string} view */
  const forget = async (view) => {
    await send("DELETE", facePath(set, face, `/views/${view}`));
    await openViews(set, face);
  };
  const known = taught.sets
    .find((one) => one.name === set)
    ?.faces.find((one) => one.colour === face.colour && one.sides === face.sides && one.value === face.value);
  viewsPanel.draw(
    html`<div><p>${faceName(face)}</p>
      <ul class="faces views">${views.map(({ key: view, picture }) => html`<li><img src=${picture} alt=${faceName(face)}> ${key("forget-view", "×", () => forget(view), t("page.dice_sets.forget_view"))}</li>`)}</ul>
      <p>${t("page.dice_sets.times")}</p>
      <div class="row" role="group" aria-label=${t("page.dice_sets.times")}>${valuesOf(face.sides).map((times) => html`<button type="button" class="tool" data-times=${times} aria-pressed=${times === known?.times} @click=${once(() => send("PUT", facePath(set, face), { times }))}>${times}</button>`)}</div></div>`,
  );
}

/** @param {DiceSet["progress"]} progress */
const progressWords = ({ known, of }) =>
  of === null ? t("page.dice_sets.faces", { known }) : t("page.dice_sets.progress", { known, of });

/** @param {DiceSet} one */
function setCard({ name: set, progress, faces, can_undo: canUndo }) {
  const items = faces.map(
    (face) =>
      html`<li><button type="button" class="face-key" data-testid="face-views" aria-label=${t("page.dice_sets.views_of", { face: faceName(face) })} @click=${() => openViews(set, face)}><img src=${face.picture} alt=""></button><span class="swatch" .style=${paint(face.colour, snapshot?.colours)}></span>${face.sides === 6 ? "" : `d${face.sides}: `}${faceWord(face.value)}${face.times > 1 ? ` ×${face.times}` : ""} ${key("forget-face", "×", () => send("DELETE", facePath(set, face)), t("page.dice_sets.forget", { face: faceName(face) }))}</li>`,
  );
  return html`<section class="card" data-set=${set}><h2>${set}</h2>
    <p class="quiet" data-testid="progress">${progressWords(progress)}</p>
    <ul class="faces">${items}</ul>
    <div class="row">${canUndo ? key("undo-set", t("page.undo"), () => send("POST", `${path(set)}/undo`)) : nothing}
    <a class="tool link" href=${`${path(set)}/export`} download>${t("page.dice_sets.export")}</a>
    ${key("delete-set", t("page.dice_sets.delete"), () => send("DELETE", path(set)))}</div></section>`;
}

/** @param {Event} event */
async function takeIn(event) {
  const file = pickedFile(event);
  if (file) await takeAs(new Blob([file], { type: KIND }));
}

/** @param {Blob} file @param {string} [as] another name */
async function takeAs(file, as) {
  const query = as === undefined ? "" : `?name=${encodeURIComponent(as)}`;
  const answer = await send("POST", `/api/dice-sets/import${query}`, file);
  taken = answer.reason === "exists" ? { file, free: answer.nearest } : null;
  draw();
}

/** @param {Taken} of */
function takenCard({ file, free }) {
  const keep = () => {
    taken = null;
    draw();
  };
  return html`<section class="card" role="alert"><p>${t("page.dice_sets.exists")}</p>
    <div class="row">${key("import-as", t("page.dice_sets.import_as", { name: free }), () => takeAs(file, free))}
    <button type="button" class="tool" @click=${keep}>${t("page.keep")}</button></div></section>`;
}

/** @param {{ colour?: string, sides?: number }} kind */
function choose(kind) {
  ({ colour, sides } = { colour, sides, ...kind });
  holdLesson();
  draw();
  if (snapshot?.dice?.length) look();
}

/** @param {Event} event */
function takeName(event) {
  name = valueOf(event).trim();
  doubt = null;
  draw();
}

/** The live picture while faces are shown, and how many of the set the tray knows. */
function lesson() {
  if (!name || !colour || !snapshot) return nothing;
  live ??= readPicture();
  live.show(snapshot, seen);
  const progress = taught.sets.find((one) => one.name === name)?.progress ?? { known: 0, of: sides };
  return html`<div class="with-picture">${live.node}<div><p class="verdict" data-testid="known" role="status"><b>${progressWords(progress)}</b></p><p>${t("page.dice_sets.throws")}</p>
    <button type="button" class="tool" data-testid="look-again" @click=${() => look()}>${t("page.dice_sets.look")}</button></div></div>`;
}

function draw() {
  drawViews();
  const { sets, deleted, waiting } = taught;
  const colours = snapshot?.colours ?? {};
  const [face] = name ? waiting : [];
  render(
    html`${face ? (doubt?.key === face.key ? doubtCard(doubt) : nameCard(face)) : nothing}
      <section class="card"><p class="what"><span class="example" aria-hidden="true">${EXAMPLES.map(([sign, label]) => html`<span class="example-die"><b .style=${paint(label, colours)}>${sign}</b></span>`)}</span> <b>${t("page.dice_sets.what")}</b></p>
      <p>${t("page.dice_sets.how")}</p>
      <p class="row"><label>${t("page.dice_sets.name")} <input type="text" maxlength="40" data-testid="set-name" list="set-names" .value=${name} @input=${takeName}></label>
      <datalist id="set-names">${sets.map((one) => html`<option value=${one.name}></option>`)}</datalist></p>
      <p class="row">${Object.keys(colours).map((label) => html`<button type="button" class="tool" data-class=${label} ?disabled=${!name} aria-pressed=${label === colour} @click=${() => choose({ colour: label })}><span class="swatch" .style=${paint(label, colours)}></span>${plainWord(label)}</button>`)}</p>
      <p class="row" role="group" aria-label=${t("page.dice_sets.kinds")}>${[6, 8, 10, 12].map((kind) => html`<button type="button" class="tool" data-sides=${kind} ?disabled=${!name} aria-pressed=${kind === sides} @click=${() => choose({ sides: kind })}>d${kind}</button>`)}
      </p>${lesson()}</section>
      ${sets.map(setCard)}
      ${deleted.map((gone) => html`<section class="card row"><p>${t("page.dice_sets.deleted", { name: gone })}</p>${key("undo-delete", t("page.undo"), () => send("POST", `${path(gone)}/undo`))}</section>`)}
      ${taken ? takenCard(taken) : nothing}
      <section class="card"><label class="tool link import">${t("page.dice_sets.import")}<input type="file" accept=".json" aria-label=${t("page.dice_sets.import")} data-testid="import-set" @change=${takeIn}></label></section>`,
    byId("dice-sets"),
  );
}

follow((latest) => {
  const isChanged = snapshot === null || (isAllowed && snapshot.undo?.id !== latest.undo?.id);
  snapshot = latest;
  if (isChanged) send("GET", "/api/dice-sets");
  // It was ended on the display.
  if (isLesson && !latest.lesson && !document.hidden) colour = null;
  isLesson = latest.lesson;
  if (latest.state === "rolling") {
    isThrown = true;
    seen = [];
  } else if (isThrown) {
    isThrown = false;
    // The hand may just have cleared the tray.
    look(false);
  }
  if (live) draw();
});
setInterval(holdLesson, LESSON_MS);
addEventListener("pagehide", () => isLesson && fetch("/api/dice-sets/lesson", { method: "DELETE", keepalive: true }));
