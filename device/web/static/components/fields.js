// One field for each thing to tap, from the rules' own description of it: numbers, choices, switches, texts, counters.

import { html } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { stepper } from "./stepper.js";
import { plainWord } from "../lib/words.js";

// Buttons of which one is down; tapped again it comes up, where nothing need be chosen.
export function choiceKeys(label, options, { value = null, optional = true, onPick }) {
  const group = html("div", { class: "keys-row", role: "group", "aria-label": label });
  let now = value;
  function show() {
    for (const key of group.children) key.setAttribute("aria-pressed", String(key.dataset.value === JSON.stringify(now)));
  }
  for (const option of options) {
    const key = html("button", { type: "button", class: "key", "data-value": JSON.stringify(option.value) }, html("span", {}, option.text));
    if (option.note !== undefined) key.append(html("b", {}, String(option.note)));
    if (option.faint) key.classList.add("faint");
    key.addEventListener("click", () => {
      now = JSON.stringify(now) === key.dataset.value && optional ? null : option.value;
      show();
      onPick(now);
    });
    group.append(key);
  }
  show();
  return {
    node: group,
    tell(latest) {
      now = latest ?? null;
      show();
    },
  };
}

function titled(title, ...inside) {
  return html("div", { class: "tile" }, html("span", { class: "tile-title" }, title), ...inside);
}

// Names that more than one counter of the kinds has would be ambiguous: the first holds, as the rules take it.
function countersOf(sheet, kinds) {
  const found = new Map();
  for (const kind of kinds) {
    for (const counter of sheet?.counters ?? []) if (counter.kind === kind && !found.has(counter.name)) found.set(counter.name, counter);
  }
  return [...found.values()];
}

// A letter where the rules count in letters, else the number itself.
export function levelWord(choices, number) {
  return choices?.length ? choices[number - 1] ?? "–" : number;
}

function counterField(tile, sheet, value, onChange) {
  const counters = countersOf(sheet, tile.counter_kinds);
  const options = counters.map((counter) => ({ value: counter.name, text: plainWord(counter.name), note: levelWord(tile.choices, counter.now), faint: counter.now <= 0 }));
  for (const choice of counters.length ? [] : tile.choices ?? []) options.push({ value: choice, text: choice });
  let keys = null;
  let number = null;
  const pick = (latest) => {
    number?.tell(typeof latest === "number" ? latest : null);
    keys?.tell(latest);
    onChange(latest);
  };
  if (options.length) keys = choiceKeys(tile.title, options, { value, onPick: pick });
  if (!tile.choices) {
    const range = rangeOf(tile);
    number = stepper(t(counters.length ? "page.field.or_number" : "page.field.number"), range.low, range.high, pick, { open: true });
    number.tell(typeof value === "number" ? value : null);
  }
  return html("div", { class: "tile wide" }, html("div", { class: "tile-head" }, html("span", { class: "tile-title" }, tile.title), number?.node ?? ""), keys?.node ?? "");
}

function rangeOf(tile) {
  return { low: tile.low ?? 0, high: tile.high ?? 1000 };
}

// A field for one tile; onChange gets its value, null where it was put back to nothing.
export function tileField(tile, { sheet = null, value = null, onChange }) {
  const set = (latest) => onChange(tile.name, latest);
  let node;
  if (tile.kind === "counter") node = counterField(tile, sheet, value, set);
  else if (tile.kind === "choice") {
    const keys = choiceKeys(tile.title, tile.choices.map((choice) => ({ value: choice, text: plainWord(choice) })), { value: value ?? tile.default, optional: tile.default === null, onPick: set });
    node = titled(tile.title, keys.node);
    node.classList.add("wide");
  } else if (tile.kind === "flag") {
    const key = html("button", { type: "button", class: "key switch", "aria-pressed": String(Boolean(value ?? tile.default)) }, tile.title);
    key.addEventListener("click", () => {
      const on = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", String(on));
      set(on);
    });
    node = html("div", { class: "tile flag" }, key);
  } else if (tile.kind === "number") {
    const range = rangeOf(tile);
    const one = stepper(tile.title, range.low, range.high, (latest) => {
      one.tell(latest);
      set(latest);
    }, { open: tile.default === null });
    one.tell(value ?? tile.default);
    node = html("div", { class: "tile" }, one.node);
  } else if (tile.kind === "dice") {
    const input = html("input", { type: "text", inputmode: "numeric", maxlength: 80, autocomplete: "off", placeholder: t("page.field.as_in"), "aria-label": tile.title });
    input.addEventListener("change", () => {
      const faces = (input.value.match(/\d/g) ?? []).map(Number);
      input.value = faces.join(" ");
      set(faces.length ? faces : null);
    });
    node = titled(tile.title, input);
    node.classList.add("wide");
  } else {
    const input = html("input", { type: "text", maxlength: 80, autocomplete: "off", value: value ?? "", "aria-label": tile.title });
    input.addEventListener("change", () => set(input.value.trim() || null));
    node = titled(tile.title, input);
  }
  node.dataset.tile = tile.name;
  return node;
}
