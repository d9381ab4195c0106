// @ts-check
// One character's sheet: counters with buttons, rests, undo, export.

import { element, valueOf } from "../lib/dom.js";
import { isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { levelWord } from "./fields.js";
import { stepper } from "./stepper.js";
import { tappedFor } from "../lib/skill-roll.js";
import { kindWords, plainWord } from "../lib/words.js";

/** @import { Book, Counter, Sheet, Sheets, System, Tiles } from "../lib/types.js" */
/** @import { Tapped } from "../lib/skill-roll.js" */
/** @typedef {(edit: object) => Promise<unknown>} Edit */
/** @typedef {{ sheet: Sheet, system?: System, inUse: boolean, book: Book, onRoll?: (sheet: Sheet, tapped: Tapped) => unknown, onRemove?: (sheet: Sheet) => unknown }} Shown */

const HIGHEST = 1000;
/** @type {Set<number>} */
const editing = new Set();

/**
 * The element of each counter on the sheet, so that a tap changes a number without drawing the page again.
 * @type {Map<string, { node: HTMLElement, now: ReturnType<typeof stepper> }>}
 */
let rows = new Map();
/** @param {Counter} counter */
const keyOf = (counter) => `${counter.kind}/${counter.name}`;

/**
 * @param {Counter} counter
 * @param {Edit} change
 * @param {boolean} isEdited
 * @param {(() => unknown) | null} onName
 */
function counterRow(counter, change, isEdited, onName) {
  const key = { kind: counter.kind, name: counter.name };
  const now = stepper(
    plainWord(counter.name),
    counter.least,
    isEdited ? HIGHEST : (counter.most ?? HIGHEST),
    (value) => change({ counters: [{ ...key, now: value }] }),
    { wide: false, onName },
  );
  const node = element(
    html`<div class="counter" data-kind=${counter.kind} data-counter=${counter.name} data-most=${counter.most ?? ""}>${now.node}${isEdited ? edits() : nothing}</div>`,
  );
  rows.set(keyOf(counter), { node, now });
  return node;

  function edits() {
    const most = stepper(
      t("page.sheet.at_most"),
      Math.max(0, counter.least),
      HIGHEST,
      (value) => change({ counters: [{ ...key, most: value }] }),
      { wide: false, name: `${plainWord(counter.name)} (${t("page.sheet.at_most")})` },
    );
    most.show(counter.most);
    most.node.classList.add("most");
    return html`${most.node}<span></span><button type="button" class="tool" aria-label=${t("page.sheet.take_off_what", { name: plainWord(counter.name) })} @click=${() => change({ remove: [key] })}>${t("page.sheet.take_off")}</button>`;
  }
}

/**
 * @param {Edit} change
 * @param {Sheets["kinds"]} kinds
 */
function addForm(change, kinds) {
  /** @type {HTMLSelectElement} */
  const kind = element(
    html`<select aria-label=${t("page.sheet.kind")}>${kinds.map((one) => html`<option value=${one.kind}>${kindWords(one.kind)}</option>`)}</select>`,
  );
  /** @type {HTMLInputElement} */
  const name = element(
    html`<input type="text" maxlength="80" autocomplete="off" placeholder=${t("page.sheet.name_as")} aria-label=${t("page.sheet.counter_name")}>`,
  );
  let start = 1;
  const value = stepper(t("page.sheet.stands"), 0, HIGHEST, (wanted) => {
    start = wanted;
    value.show(wanted);
  });
  value.show(start);
  const add = () =>
    name.value.trim() &&
    change({
      add: [
        {
          kind: kind.value,
          name: name.value.trim(),
          now: start,
          ...(kinds.find((one) => one.kind === kind.value)?.bounded ? { most: start } : {}),
        },
      ],
    });
  return html`<section aria-label=${t("page.sheet.add_counter")}><h3>${t("page.sheet.add_to")}</h3><div class="row">${kind}${name}${value.node}<button type="button" class="tool go" data-testid="add-counter" @click=${add}>${t("page.sheet.add")}</button></div></section>`;
}

/**
 * If the rules count in letters, the letter is next to the number.
 * @param {Sheet} sheet
 * @param {Tiles | null} tiles
 */
function lettersOf(sheet, tiles) {
  const lettered =
    tiles?.system === sheet.system ? tiles.tiles.filter((tile) => tile.kind === "counter" && tile.choices) : [];
  return (/** @type {string} */ kind) => lettered.find((tile) => tile.counter_kinds.includes(kind))?.choices;
}

/**
 * @param {HTMLElement} place
 * @param {Sheet} sheet
 * @param {Tiles | null} tiles
 */
function showNumbers(place, sheet, tiles) {
  const letters = lettersOf(sheet, tiles);
  for (const counter of sheet.counters) {
    const row = rows.get(keyOf(counter));
    const choices = letters(counter.kind);
    const most = counter.most === null ? nothing : html`<small>${t("page.sheet.of", { most: counter.most })}</small>`;
    row?.now.show(
      counter.now,
      html`${most}<small class="letter">${choices ? t("page.sheet.level", { level: levelWord(choices, counter.now) }) : ""}</small>`,
    );
    if (row) row.node.dataset.now = String(counter.now);
  }
  const undo = /** @type {HTMLButtonElement} */ (place.querySelector("[data-testid=undo-sheet]"));
  undo.disabled = !sheet.undo;
  undo.textContent = sheet.undo ? t("page.undo_what", { what: sheet.undo }) : t("page.undo");
}

/**
 * @param {HTMLElement} place
 * @param {Omit<Shown, "sheet"> & { sheet?: Sheet }} shown
 */
export function renderSheet(place, { sheet, ...rest }) {
  place.hidden = !sheet;
  if (!sheet) return;
  const isEdited = editing.has(sheet.id);
  const fixed = sheet.counters.map(({ kind, name, most, least }) => [kind, name, most, least]);
  if (
    isNews(
      place,
      sheet.id,
      sheet.title,
      sheet.marks,
      sheet.rests,
      fixed,
      rest.system,
      rest.inUse,
      isEdited,
      rest.book.tiles?.system,
    )
  )
    drawSheet(place, { sheet, ...rest }, isEdited);
  showNumbers(place, sheet, rest.book.tiles);
}

/**
 * @param {HTMLElement} place
 * @param {Shown} shown
 * @param {boolean} isEdited
 */
function drawSheet(place, { sheet, system, inUse, book, onRoll, onRemove }, isEdited) {
  rows = new Map();
  const path = `/api/sheets/${sheet.id}`;
  /** @type {Edit} */
  const change = (edit) => book.send("PATCH", path, edit);
  const turnEditing = () => {
    if (isEdited) editing.delete(sheet.id);
    else editing.add(sheet.id);
    renderSheet(place, { sheet, system, inUse, book, onRoll, onRemove });
  };
  /** @param {Event} event */
  const rename = (event) => valueOf(event).trim() && change({ title: valueOf(event).trim() });

  const rests = (sheet.rests ?? []).map(
    (rest) =>
      html`<button type="button" class="tool" data-rest=${rest} @click=${() => book.send("POST", `${path}/rest`, { rest })}>${t("page.sheet.rest", { rest: plainWord(rest) })}</button>`,
  );
  /** @param {Counter} counter */
  function rolling(counter) {
    const tapped = onRoll && !isEdited ? tappedFor(book.tiles, sheet, counter) : null;
    return onRoll && tapped ? () => onRoll(sheet, tapped) : null;
  }
  const kinds = [...new Set(sheet.counters.map((counter) => counter.kind))];
  const groups = kinds.map((kind) => {
    const counters = sheet.counters.filter((counter) => counter.kind === kind);
    return html`<h3>${kindWords(kind)}</h3><div class="counters">${counters.map((counter) => counterRow(counter, change, isEdited, rolling(counter)))}</div>`;
  });
  const marks = sheet.marks ?? [];
  const markKeys = marks.map(
    (mark) =>
      html`<button type="button" class="key switch" aria-pressed="true" aria-label=${t("page.sheet.mark_off", { mark })} @click=${() => change({ marks: { [mark]: false } })}>${mark}</button>`,
  );
  // Numbers are updated in place from here on; a new drawing starts over.
  render(nothing, place);
  render(
    html`<section class="card" aria-label=${sheet.title} data-testid="sheet" data-sheet-id=${sheet.id}>
      <div class="row spread">
        <div><h2>${sheet.title}</h2><p class="quiet">${system?.title ?? sheet.system}</p></div>
        <div class="row">
          <button type="button" class=${inUse ? "tool" : "tool go"} data-testid="use-sheet" @click=${() => book.send("PUT", "/api/sheets/chosen", { sheet: inUse ? null : sheet.id })}>${t(inUse ? "page.sheet.put_away" : "page.sheet.use")}</button>
          ${rests}
          <button type="button" class="tool" data-testid="undo-sheet" @click=${() => book.send("POST", `${path}/undo`)}></button>
          <button type="button" class="key" data-testid="edit-sheet" aria-pressed=${isEdited} @click=${turnEditing}>${t("page.sheet.edit")}</button>
        </div>
      </div>
      ${groups}
      ${marks.length ? html`<h3>${t("page.sheet.marks", { count: marks.length })}</h3><div class="keys-row">${markKeys}</div>` : nothing}
      ${isEdited ? addForm(change, book.sheets.kinds) : nothing}
      <div class="row">
        ${isEdited ? html`<input type="text" maxlength="80" value=${sheet.title} aria-label=${t("page.sheet.character")} @change=${rename}>` : nothing}
        <a class="tool link" href="${path}/export" download data-testid="export">${t("page.sheet.export")}</a>
        ${isEdited && onRemove ? html`<button type="button" class="tool danger" data-testid="delete-sheet" @click=${() => onRemove(sheet)}>${t("page.sheet.throw_away")}</button>` : nothing}
      </div>
    </section>`,
    place,
  );
}
