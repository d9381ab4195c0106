// @ts-check
// One character's sheet: counters with buttons, of which attributes and skills are rolled; rests, undo, export.

import { element, textField, valueOf } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { stepper } from "./stepper.js";
import { scaleOf, tappedFor } from "../lib/skill-roll.js";
import { kindWords, plainWord } from "../lib/words.js";

/** @import { Book, Counter, Sheet, SheetRules, Sheets, System } from "../lib/types.js" */
/** @import { Tapped } from "../lib/skill-roll.js" */
/** @typedef {(edit: object) => Promise<unknown>} Edit */
/** @typedef {{ sheet: Sheet, systems?: System[], book: Book, onRoll?: (sheet: Sheet, tapped: Tapped) => unknown, mayRemove?: boolean }} Shown */

const HIGHEST = 1000;
/** What the buttons of a sheet change: its values now if it is in neither. */
const [editing, filling] = [/** @type {Set<number>} */ (new Set()), /** @type {Set<number>} */ (new Set())];

/** Full values are set first on a new sheet. @param {number} id */
export const beginFull = (id) => filling.add(id);

/**
 * What is kept of the sheet shown: its steppers, which count on while answers are pending, what a tap on a name rolls, and
 * the form for a new counter.
 * @typedef {{ id: number | null, steppers: Map<string, ReturnType<typeof stepper>>, rolls: Map<string, (() => unknown) | null>, form: unknown }} Kept
 */
/** @param {number | null} id @returns {Kept} */
const fresh = (id) => ({ id, steppers: new Map(), rolls: new Map(), form: null });
let kept = fresh(null);

// Whether `most` is a full value, from which harm takes, and not the highest that the rules allow.
/** @type {(sheets: Sheets, system: string, counter: Counter) => boolean} */
const isFull = ({ rules }, system, { kind, most }) => most !== null && (rules[system]?.full.includes(kind) ?? false);

/** @param {Counter} counter @param {Shown} shown @param {Edit} change */
function counterRow(counter, { sheet, book, onRoll }, change) {
  const { kind, name, most, least } = counter;
  const hasFull = isFull(book.sheets, sheet.system, counter);
  const setsFull = hasFull && filling.has(sheet.id);
  const tapped = onRoll ? tappedFor(book.tiles, sheet, counter) : null;
  const key = JSON.stringify([kind, name, most, least, setsFull, tapped !== null]);
  kept.rolls.set(key, onRoll && tapped ? () => onRoll(sheet, tapped) : null);

  function make() {
    const top = book.sheets.rules[sheet.system]?.tops[kind];
    const scale = scaleOf(book.sheets, sheet.system, kind);
    const limit = (hasFull && !setsFull ? most : (top ?? (setsFull ? null : most))) ?? HIGHEST;
    /** @param {number} value */
    const set = (value) => {
      const raised = setsFull || (most !== null && value > most) ? { most: value } : {};
      return change({ counters: [{ kind, name, now: value, ...raised }] });
    };
    const low = setsFull ? Math.max(0, least) : least;
    return stepper(plainWord(name), low, Math.max(limit, most ?? 0, counter.now), set, {
      wide: false,
      words: (value) => scale[value] ?? value,
      onName: tapped && (() => kept.rolls.get(key)?.()),
    });
  }
  const now = kept.steppers.get(key) ?? make();
  kept.steppers.set(key, now);
  now.show(
    setsFull ? most : counter.now,
    hasFull && !setsFull ? html`<small>${t("page.sheet.of", { most })}</small>` : nothing,
  );
  return html`<div class="counter" data-kind=${kind} data-counter=${name} data-most=${most ?? ""} data-now=${counter.now}>${now.node}</div>`;
}

// The names of one kind and their order. Names that the rules know stay, since costs find counters by them.
/** @param {Counter[]} counters @param {Shown} shown @param {Edit} change */
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

/** @param {Edit} change @param {Sheets["kinds"]} kinds */
function addForm(change, kinds) {
  /** @type {HTMLSelectElement} */
  const kind = element(
    html`<select aria-label=${t("page.sheet.kind")}>${kinds.map((one) => html`<option value=${one.kind}>${kindWords(one.kind)}</option>`)}</select>`,
  );
  const name = textField(t("page.sheet.counter_name"), t("page.sheet.name_as"));
  const value = stepper(t("page.sheet.stands"), 0, HIGHEST, (wanted) => value.show(wanted));
  value.show(1);
  const add = async () => {
    const title = name.value.trim();
    const most = kinds.find((one) => one.kind === kind.value)?.bounded ? { most: value.value } : {};
    if (!title || !(await change({ add: [{ kind: kind.value, name: title, now: value.value, ...most }] }))) return;
    name.value = "";
    value.show(1);
  };
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

/** @param {HTMLElement} place @param {Omit<Shown, "sheet"> & { sheet?: Sheet }} shown */
export function renderSheet(place, { sheet, ...rest }) {
  place.hidden = !sheet;
  if (!sheet) return;
  // Fields keep their input, so those of another sheet must be new ones.
  if (kept.id !== sheet.id) render(nothing, place);
  if (kept.id !== sheet.id) kept = fresh(sheet.id);
  const shown = { sheet, ...rest };
  const { book, systems, mayRemove } = rest;
  const { id, counters, marks = [], rests = [], undo } = sheet;
  const path = `/api/sheets/${id}`;
  const isEdited = editing.has(id);
  const inUse = id === book.sheets.chosen;
  /** @type {Edit} */
  const change = (edit) => book.send("PATCH", path, edit);
  /** @type {(mode: Set<number>, name: string, text: string) => unknown} */
  const modeKey = (mode, name, text) => {
    const turn = () => {
      if (!mode.delete(id)) mode.add(id);
      renderSheet(place, shown);
    };
    return html`<button type="button" class="key" data-testid=${name} aria-pressed=${mode.has(id)} @click=${turn}>${text}</button>`;
  };
  /** @param {Event} event */
  const rename = (event) => valueOf(event).trim() && change({ title: valueOf(event).trim() });
  // Kinds of one counter each need no title.
  /** @type {Map<string, Counter[]>} */
  const kinds = new Map();
  for (const counter of counters) {
    const isAlone = counters.filter(({ kind }) => kind === counter.kind).length < 2;
    const kind = isAlone ? "" : counter.kind;
    kinds.set(kind, [...(kinds.get(kind) ?? []), counter]);
  }
  const groups = [...kinds].map(
    ([kind, all]) =>
      html`${kind ? html`<h3>${kindWords(kind)}</h3>` : html`<hr />`}<div class="counters">${isEdited ? editRows(all, shown, change) : all.map((counter) => counterRow(counter, shown, change))}</div>`,
  );
  const restKeys = rests.map(
    (rest) =>
      html`<button type="button" class="tool" data-rest=${rest} @click=${() => book.send("POST", `${path}/rest`, { rest })}>${t("page.sheet.rest", { rest: plainWord(rest) })}</button>`,
  );
  const markKeys = marks.map(
    (mark) =>
      html`<button type="button" class="key switch" aria-pressed="true" aria-label=${t("page.sheet.mark_off", { mark })} @click=${() => change({ marks: { [mark]: false } })}>${mark}</button>`,
  );
  render(
    html`<section class="card" aria-label=${sheet.title} data-testid="sheet" data-sheet-id=${id}>
      <div class="row spread">
        <div><h2>${sheet.title}</h2><p class="quiet">${systems?.find((one) => one.id === sheet.system)?.title ?? sheet.system}</p></div>
        <div class="row">
          <button type="button" class=${inUse ? "tool" : "tool go"} data-testid="use-sheet" @click=${() => book.send("PUT", "/api/sheets/chosen", { sheet: inUse ? null : id })}>${t(inUse ? "page.sheet.put_away" : "page.sheet.use")}</button>
          ${restKeys}
          <button type="button" class="tool" data-testid="undo-sheet" ?disabled=${!undo} @click=${() => book.send("POST", `${path}/undo`)}>${undo ? t("page.undo_what", { what: undo }) : t("page.undo")}</button>
          ${counters.some((one) => isFull(book.sheets, sheet.system, one)) ? modeKey(filling, "full-values", t("page.sheet.full")) : nothing}${modeKey(editing, "edit-sheet", t("page.sheet.edit"))}
        </div>
      </div>
      ${filling.has(id) ? html`<p class="quiet">${t("page.sheet.full_how")}</p>` : nothing}
      ${groups}
      ${marks.length ? html`<h3>${t("page.sheet.marks", { count: marks.length })}</h3><div class="keys-row">${markKeys}</div>` : nothing}
      <div class="row">
        ${isEdited ? nothing : (kept.form ??= addForm(change, book.sheets.kinds))}
        ${isEdited ? html`<input type="text" maxlength="80" .value=${sheet.title} aria-label=${t("page.sheet.character")} @change=${rename}>` : nothing}
        <a class="tool link" href="${path}/export" download data-testid="export">${t("page.sheet.export")}</a>
        ${isEdited && mayRemove ? html`<button type="button" class="tool danger" data-testid="delete-sheet" @click=${() => book.send("DELETE", path)}>${t("page.sheet.throw_away")}</button>` : nothing}
      </div>
    </section>`,
    place,
  );
}
