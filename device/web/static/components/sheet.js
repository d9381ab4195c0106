// One character's sheet: counters with a button on either side, rests, undo, export.

import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { levelWord } from "./fields.js";
import { stepper } from "./stepper.js";
import { kindsOfCounters, kindWords, plainWord } from "../lib/words.js";

const HIGHEST = 1000;
const editing = new Set();

// Where each counter of the sheet shown stands, so that a tap moves a number and leaves the page as it is.
let rows = new Map();
const keyOf = (counter) => `${counter.kind}/${counter.name}`;

function counterRow(counter, change, isEdited) {
  const key = { kind: counter.kind, name: counter.name };
  const ceiling = counter.most ?? HIGHEST;
  const now = stepper(plainWord(counter.name), counter.least, isEdited ? HIGHEST : ceiling, (value) => change({ counters: [{ ...key, now: value }] }), { wide: false });
  now.tell(counter.now);
  if (counter.most !== null) now.node.querySelector(".step-label").append(html("small", {}, t("page.sheet.of", { most: counter.most })));
  const node = html("div", { class: "counter", "data-kind": counter.kind, "data-counter": counter.name, "data-now": counter.now, "data-most": counter.most ?? "" }, now.node);
  const letter = html("small", { class: "letter" });
  now.node.querySelector(".step-label").append(letter);
  rows.set(keyOf(counter), { node, now, letter });
  if (!isEdited) return node;
  const most = stepper(t("page.sheet.at_most"), Math.max(0, counter.least), HIGHEST, (value) => change({ counters: [{ ...key, most: value }] }), { wide: false });
  most.tell(counter.most);
  most.node.classList.add("most");
  const away = html("button", { type: "button", class: "tool", "aria-label": t("page.sheet.take_off_what", { name: counter.name }) }, t("page.sheet.take_off"));
  away.addEventListener("click", () => change({ remove: [key] }));
  node.append(most.node, html("span", {}), away);
  return node;
}

function addForm(sheet, change) {
  const kind = html("select", { "aria-label": t("page.sheet.kind") }, ...kindsOfCounters().map(([value, text]) => html("option", { value }, text)));
  const name = html("input", { type: "text", maxlength: 80, autocomplete: "off", placeholder: t("page.sheet.name_as"), "aria-label": t("page.sheet.counter_name") });
  let start = 1;
  const value = stepper(t("page.sheet.stands"), 0, HIGHEST, (wished) => {
    start = wished;
    value.tell(wished);
  });
  value.tell(start);
  const add = html("button", { type: "button", class: "tool go", "data-testid": "add-counter" }, t("page.sheet.add"));
  add.addEventListener("click", () => name.value.trim() && change({ add: [{ kind: kind.value, name: name.value.trim(), now: start, ...(["attribute", "gear", "reliability", "hp", "grit", "equipment"].includes(kind.value) ? { most: start } : {}) }] }));
  return html("section", { "aria-label": t("page.sheet.add_counter") }, html("h3", {}, t("page.sheet.add_to")), html("div", { class: "row" }, kind, name, value.node, add));
}

// Where the rules count in letters, the letter stands beside the number.
function lettersOf(sheet, tiles) {
  const lettered = tiles?.system === sheet.system ? tiles.tiles.filter((tile) => tile.kind === "counter" && tile.choices) : [];
  return (kind) => lettered.find((tile) => tile.counter_kinds.includes(kind))?.choices;
}

function tellNumbers(place, sheet, tiles) {
  const letters = lettersOf(sheet, tiles);
  for (const counter of sheet.counters) {
    const row = rows.get(keyOf(counter));
    row.now.tell(counter.now);
    row.node.dataset.now = counter.now;
    const choices = letters(counter.kind);
    row.letter.textContent = choices ? t("page.sheet.level", { level: levelWord(choices, counter.now) }) : "";
  }
  const undo = place.querySelector("[data-testid=undo-sheet]");
  undo.disabled = !sheet.undo;
  undo.textContent = sheet.undo ? t("page.undo_what", { what: sheet.undo }) : t("page.undo");
}

export function renderSheet(place, { sheet, system, inUse, book, onRemove }) {
  place.hidden = !sheet;
  if (!sheet) return;
  const isEdited = editing.has(sheet.id);
  const fixed = sheet.counters.map(({ kind, name, most, least }) => [kind, name, most, least]);
  if (isNews(place, sheet.id, sheet.title, sheet.marks, sheet.rests, fixed, system, inUse, isEdited)) drawSheet(place, { sheet, system, inUse, book, onRemove, isEdited });
  tellNumbers(place, sheet, book.tiles);
}

function drawSheet(place, { sheet, system, inUse, book, onRemove, isEdited }) {
  rows = new Map();
  const change = (edit) => book.wish("PATCH", `/api/sheets/${sheet.id}`, edit);
  const redraw = () => renderSheet(place, { sheet, system, inUse, book, onRemove });

  const use = html("button", { type: "button", class: inUse ? "tool" : "tool go", "data-testid": "use-sheet" }, t(inUse ? "page.sheet.put_away" : "page.sheet.use"));
  use.addEventListener("click", () => book.wish("PUT", "/api/sheets/chosen", { sheet: inUse ? null : sheet.id }));
  const undo = html("button", { type: "button", class: "tool", "data-testid": "undo-sheet" });
  undo.addEventListener("click", () => book.wish("POST", `/api/sheets/${sheet.id}/undo`));
  const edit = html("button", { type: "button", class: "key", "data-testid": "edit-sheet", "aria-pressed": String(isEdited) }, t("page.sheet.edit"));
  edit.addEventListener("click", () => {
    if (isEdited) editing.delete(sheet.id);
    else editing.add(sheet.id);
    redraw();
  });
  const rests = (sheet.rests ?? []).map((rest) => {
    const key = html("button", { type: "button", class: "tool", "data-rest": rest }, t("page.sheet.rest", { rest: plainWord(rest) }));
    key.addEventListener("click", () => book.wish("POST", `/api/sheets/${sheet.id}/rest`, { rest }));
    return key;
  });

  const kinds = [...new Set(sheet.counters.map((counter) => counter.kind))];
  const groups = kinds.flatMap((kind) => {
    const counters = sheet.counters.filter((counter) => counter.kind === kind);
    return [html("h3", {}, kindWords(kind)), html("div", { class: "counters" }, ...counters.map((counter) => counterRow(counter, change, isEdited)))];
  });
  const marks = (sheet.marks ?? []).map((mark) => {
    const key = html("button", { type: "button", class: "key switch", "aria-pressed": "true", "aria-label": t("page.sheet.mark_off", { mark }) }, mark);
    key.addEventListener("click", () => change({ marks: { [mark]: false } }));
    return key;
  });
  const end = html("div", { class: "row" }, html("a", { class: "tool link", href: `/api/sheets/${sheet.id}/export`, download: true, "data-testid": "export" }, t("page.sheet.export")));
  if (isEdited) {
    const name = html("input", { type: "text", maxlength: 80, value: sheet.title, "aria-label": t("page.sheet.character") });
    name.addEventListener("change", () => name.value.trim() && change({ title: name.value.trim() }));
    const away = html("button", { type: "button", class: "tool danger", "data-testid": "delete-sheet" }, t("page.sheet.throw_away"));
    away.addEventListener("click", () => onRemove(sheet));
    end.prepend(name);
    end.append(away);
  }
  place.replaceChildren(
    html(
      "section",
      { class: "card", "aria-label": sheet.title, "data-testid": "sheet", "data-sheet-id": sheet.id },
      html("div", { class: "row spread" }, html("div", {}, html("h2", {}, sheet.title), html("p", { class: "quiet" }, system?.title ?? sheet.system)), html("div", { class: "row" }, use, ...rests, undo, edit)),
      ...groups,
      ...(marks.length ? [html("h3", {}, t("page.sheet.marks", { count: marks.length })), html("div", { class: "keys-row" }, ...marks)] : []),
      ...(isEdited ? [addForm(sheet, change)] : []),
      end,
    ),
  );
}
