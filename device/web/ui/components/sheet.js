// @ts-check
// One character's sheet: counters with buttons, of which attributes and skills are rolled; rests, undo, export.

import { element, valueOf } from "../lib/dom.js";
import { isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { stepper } from "./stepper.js";
import { scaleOf, tappedFor } from "../lib/skill-roll.js";
import { kindWords, plainWord } from "../lib/words.js";

/** @import { Book, Counter, Sheet, SheetRules, Sheets, System } from "../lib/types.js" */
/** @import { Tapped } from "../lib/skill-roll.js" */
/** @typedef {(edit: object) => Promise<unknown>} Edit */
/** @typedef {{ sheet: Sheet, system?: System, inUse: boolean, book: Book, onRoll?: (sheet: Sheet, tapped: Tapped) => unknown, onRemove?: (sheet: Sheet) => unknown }} Shown */

const HIGHEST = 1000;
/** What the buttons of a sheet change: its values now if it is in neither. */
const [editing, filling] = [/** @type {Set<number>} */ (new Set()), /** @type {Set<number>} */ (new Set())];

/** Full values are set first on a new sheet. @param {number} id */
export const beginFull = (id) => filling.add(id);

/**
 * The element of each counter on the sheet, so that a tap changes a number without drawing the page again.
 * @type {Map<string, { node: HTMLElement, now: ReturnType<typeof stepper> }>}
 */
let rows = new Map();
/** @param {Pick<Counter, "kind" | "name">} counter */
const keyOf = ({ kind, name }) => `${kind}/${name}`;

/**
 * Whether `most` is a full value, from which harm takes, and not the highest that the rules allow.
 * @param {Sheets} sheets
 * @param {string} system
 * @param {Counter} counter
 */
const isFull = ({ rules }, system, { kind, most }) => most !== null && (rules[system]?.full.includes(kind) ?? false);

/**
 * @param {Counter} counter
 * @param {Shown} shown
 * @param {Edit} change
 * @param {(() => unknown) | null} onName
 */
function counterRow(counter, { sheet, book }, change, onName) {
  const { kind, name, most, least } = counter;
  const top = book.sheets.rules[sheet.system]?.tops[kind];
  const scale = scaleOf(book.sheets, sheet.system, kind);
  const hasFull = isFull(book.sheets, sheet.system, counter);
  const setsFull = hasFull && filling.has(sheet.id);
  const limit = (hasFull && !setsFull ? most : (top ?? (setsFull ? null : most))) ?? HIGHEST;
  /** @param {number} value */
  const set = (value) => {
    const raised = setsFull || (most !== null && value > most) ? { most: value } : {};
    return change({ counters: [{ kind, name, now: value, ...raised }] });
  };
  const now = stepper(
    plainWord(name),
    setsFull ? Math.max(0, least) : least,
    Math.max(limit, most ?? 0, counter.now),
    set,
    { wide: false, words: (value) => scale[value] ?? value, onName },
  );
  const node = element(
    html`<div class="counter" data-kind=${kind} data-counter=${name} data-most=${most ?? ""}>${now.node}</div>`,
  );
  rows.set(keyOf(counter), { node, now });
  return node;
}

/**
 * The names of one kind and their order. Names that the rules know stay, since costs find counters by them.
 * @param {Counter[]} counters
 * @param {Shown} shown
 * @param {Edit} change
 */
function editRows(counters, { sheet, book }, change) {
  const known = book.sheets.rules[sheet.system]?.names ?? [];
  return counters.map((counter, place) => {
    const { kind, name } = counter;
    const shown = plainWord(name);
    const above = counters[place - 1];
    const lift = () => {
      const order = sheet.counters.map((one) => (one === counter ? above : one === above ? counter : one));
      return change({ order: order.map((one) => ({ kind: one.kind, name: one.name })) });
    };
    /** @param {Event} event */
    const rename = (event) => valueOf(event).trim() && change({ rename: [{ kind, name, to: valueOf(event).trim() }] });
    return html`<div class="row edit-row" data-counter=${name}>
      ${known.includes(name) ? html`<span class="step-label">${shown}</span>` : html`<input type="text" maxlength="80" .value=${name} aria-label=${t("page.sheet.counter_name")} @change=${rename}>`}
      <button type="button" class="tool" aria-label=${t("page.sheet.up", { name: shown })} ?disabled=${!above} @click=${lift}>↑</button>
      <button type="button" class="tool" aria-label=${t("page.sheet.take_off_what", { name: shown })} @click=${() => change({ remove: [{ kind, name }] })}>×</button>
    </div>`;
  });
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
  return html`<details class="asker" data-testid="add"><summary class="tool">${t("page.sheet.add_to")}</summary><div class="row">${kind}${name}${value.node}<button type="button" class="tool go" data-testid="add-counter" @click=${add}>${t("page.sheet.add")}</button></div></details>`;
}

/**
 * Buttons that make a sheet: blank, or of a character who is best at something.
 * @param {SheetRules | undefined} rules
 * @param {(best: string | null) => unknown} make
 */
export function newSheetKeys(rules, make) {
  if (!rules) return nothing;
  return html`<button type="button" class="tool go" data-testid="new-sheet" @click=${() => make(null)}>${t("page.sheets.blank")}</button>${rules.best.map((name) => html`<button type="button" class="tool go" data-testid="new-best" data-best=${name} @click=${() => make(name)}>${t("page.sheets.best", { name: plainWord(name) })}</button>`)}`;
}

/**
 * @param {HTMLElement} place
 * @param {Sheet} sheet
 * @param {Sheets} sheets
 */
function showNumbers(place, sheet, sheets) {
  for (const counter of sheet.counters) {
    const row = rows.get(keyOf(counter));
    const hasFull = isFull(sheets, sheet.system, counter);
    const setsFull = hasFull && filling.has(sheet.id);
    row?.now.show(
      setsFull ? counter.most : counter.now,
      hasFull && !setsFull ? html`<small>${t("page.sheet.of", { most: counter.most })}</small>` : nothing,
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
  const fixed = sheet.counters.map(({ kind, name, most, least }) => [kind, name, most, least]);
  const modes = [editing, filling].map((mode) => mode.has(sheet.id));
  const { system, inUse, book } = rest;
  if (isNews(place, sheet.id, sheet.title, sheet.marks, sheet.rests, fixed, system, inUse, modes, book.tiles?.system))
    drawSheet(place, { sheet, ...rest });
  showNumbers(place, sheet, book.sheets);
}

/**
 * @param {HTMLElement} place
 * @param {Shown} shown
 */
function drawSheet(place, shown) {
  const { sheet, system, inUse, book, onRoll, onRemove } = shown;
  rows = new Map();
  const path = `/api/sheets/${sheet.id}`;
  const isEdited = editing.has(sheet.id);
  /** @type {Edit} */
  const change = (edit) => book.send("PATCH", path, edit);
  /** @type {(mode: Set<number>, name: string, text: string) => unknown} */
  const modeKey = (mode, name, text) => {
    const turn = () => {
      if (!mode.delete(sheet.id)) mode.add(sheet.id);
      renderSheet(place, shown);
    };
    return html`<button type="button" class="key" data-testid=${name} aria-pressed=${mode.has(sheet.id)} @click=${turn}>${text}</button>`;
  };
  /** @param {Event} event */
  const rename = (event) => valueOf(event).trim() && change({ title: valueOf(event).trim() });

  const rests = (sheet.rests ?? []).map(
    (rest) =>
      html`<button type="button" class="tool" data-rest=${rest} @click=${() => book.send("POST", `${path}/rest`, { rest })}>${t("page.sheet.rest", { rest: plainWord(rest) })}</button>`,
  );
  /** @param {Counter} counter */
  function rolling(counter) {
    const tapped = onRoll ? tappedFor(book.tiles, sheet, counter) : null;
    return onRoll && tapped ? () => onRoll(sheet, tapped) : null;
  }
  // Kinds of one counter each need no title.
  /** @type {Map<string, Counter[]>} */
  const kinds = new Map();
  for (const counter of sheet.counters) {
    const isAlone = sheet.counters.filter(({ kind }) => kind === counter.kind).length < 2;
    const kind = isAlone ? "" : counter.kind;
    kinds.set(kind, [...(kinds.get(kind) ?? []), counter]);
  }
  const groups = [...kinds].map(([kind, counters]) => {
    return html`${kind ? html`<h3>${kindWords(kind)}</h3>` : html`<hr />`}<div class="counters">${isEdited ? editRows(counters, shown, change) : counters.map((counter) => counterRow(counter, shown, change, rolling(counter)))}</div>`;
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
          ${sheet.counters.some((one) => isFull(book.sheets, sheet.system, one)) ? modeKey(filling, "full-values", t("page.sheet.full")) : nothing}${modeKey(editing, "edit-sheet", t("page.sheet.edit"))}
        </div>
      </div>
      ${filling.has(sheet.id) ? html`<p class="quiet">${t("page.sheet.full_how")}</p>` : nothing}
      ${groups}
      ${marks.length ? html`<h3>${t("page.sheet.marks", { count: marks.length })}</h3><div class="keys-row">${markKeys}</div>` : nothing}
      <div class="row">
        ${isEdited ? nothing : addForm(change, book.sheets.kinds)}
        ${isEdited ? html`<input type="text" maxlength="80" value=${sheet.title} aria-label=${t("page.sheet.character")} @change=${rename}>` : nothing}
        <a class="tool link" href="${path}/export" download data-testid="export">${t("page.sheet.export")}</a>
        ${isEdited && onRemove ? html`<button type="button" class="tool danger" data-testid="delete-sheet" @click=${() => onRemove(sheet)}>${t("page.sheet.throw_away")}</button>` : nothing}
      </div>
    </section>`,
    place,
  );
}
