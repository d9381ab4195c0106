// @ts-check
// One field for each tile, from the rules' description: numbers, choices, switches, texts, counters.

import { element, valueOf } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { stepper } from "./stepper.js";
import { plainWord } from "../lib/words.js";

/** @import { Counter, Sheet, Tile, Value } from "../lib/types.js" */
/** @typedef {{ value: any, text: string, note?: unknown, faint?: boolean }} Option */

/**
 * Buttons of which one is pressed; a second tap releases it if the choice is optional.
 * @param {string} label
 * @param {Option[]} options
 * @param {{ value?: any, optional?: boolean, onPick: (value: any) => unknown }} how
 */
export function choiceKeys(label, options, { value = null, optional = true, onPick }) {
  const node = element(html`<div class="keys-row" role="group" aria-label=${label}></div>`);
  let now = value;

  /** @param {unknown} picked */
  function pick(picked) {
    now = JSON.stringify(now) === JSON.stringify(picked) && optional ? null : picked;
    show();
    onPick(now);
  }
  function show() {
    const down = JSON.stringify(now);
    render(
      options.map((option) => {
        const word = JSON.stringify(option.value);
        return html`<button type="button" class=${option.faint ? "key faint" : "key"} data-value=${word} aria-pressed=${word === down} @click=${() => pick(option.value)}><span>${option.text}</span>${option.note === undefined ? nothing : html`<b>${option.note}</b>`}</button>`;
      }),
      node,
    );
  }
  show();
  return {
    node,
    /** @param {unknown} latest */
    show(latest) {
      now = latest ?? null;
      show();
    },
  };
}

/**
 * If several counters share a name, the first counts, as in the rules.
 * @param {Sheet | null} sheet
 * @param {string[]} kinds
 */
export function countersOf(sheet, kinds) {
  /** @type {Map<string, Counter>} */
  const found = new Map();
  for (const kind of kinds) {
    for (const counter of sheet?.counters ?? [])
      if (counter.kind === kind && !found.has(counter.name)) found.set(counter.name, counter);
  }
  return [...found.values()];
}

/**
 * @param {Tile} tile
 * @param {Sheet | null} sheet
 * @param {Value} value
 * @param {(value: Value) => unknown} onChange
 * @param {(kind: string) => string[]} scaleOf
 */
function counterField(tile, sheet, value, onChange, scaleOf) {
  const counters = countersOf(sheet, tile.counter_kinds);
  /** @type {Option[]} */
  const options = counters.map((counter) => ({
    value: counter.name,
    text: plainWord(counter.name),
    note: scaleOf(counter.kind)[counter.now] ?? counter.now,
    faint: counter.now <= 0,
  }));
  // Levels are named from the smallest die.
  const [kind = ""] = tile.counter_kinds;
  for (const [place, choice] of counters.length ? [] : (tile.choices ?? []).entries())
    options.push({ value: choice, text: scaleOf(kind)[place + 1] ?? choice });
  /** @param {Value} latest */
  const pick = (latest) => {
    number?.show(typeof latest === "number" ? latest : null);
    keys?.show(latest);
    onChange(latest);
  };
  const keys = options.length ? choiceKeys(tile.title, options, { value, onPick: pick }) : null;
  const number = tile.choices
    ? null
    : stepper(t(counters.length ? "page.field.or_number" : "page.field.number"), ...rangeOf(tile), pick, {
        open: true,
        name: tile.title,
      });
  number?.show(typeof value === "number" ? value : null);
  return html`<div class="tile wide" data-tile=${tile.name}><div class="tile-head"><span class="tile-title">${tile.title}</span>${number?.node}</div>${keys?.node}</div>`;
}

/** @param {Tile} tile @returns {[low: number, high: number]} */
const rangeOf = (tile) => [tile.low ?? 0, tile.high ?? 1000];

/** @param {Tile} tile @param {Value} value @param {(value: Value) => unknown} set */
function flagKey(tile, value, set) {
  /** @param {{ currentTarget: HTMLElement }} event */
  const turn = ({ currentTarget: key }) => {
    const on = key.getAttribute("aria-pressed") !== "true";
    key.setAttribute("aria-pressed", String(on));
    set(on);
  };
  return html`<button type="button" class="key switch" aria-pressed=${Boolean(value ?? tile.default)} @click=${turn}>${tile.title}</button>`;
}

/** @param {Tile} tile @param {Value} value @param {(value: Value) => unknown} set */
function numberStepper(tile, value, set) {
  /** @param {number | null} latest */
  const take = (latest) => {
    one.show(latest);
    set(latest);
  };
  const one = stepper(tile.title, ...rangeOf(tile), take, { open: tile.default === null });
  one.show(value ?? tile.default);
  return one.node;
}

/** The typed faces, as in "5 3" or "53". @param {string} text */
export const facesIn = (text) => (text.match(/\d/g) ?? []).map(Number);

/**
 * A field for one tile; onChange gets its value, null if it was cleared. It keeps its own state: draw it again only if
 * the tile or the sheet has changed.
 * @param {Tile} tile
 * @param {{ sheet?: Sheet | null, value?: Value, scaleOf?: (kind: string) => string[], onChange: (name: string, value: Value) => unknown }} how
 */
export function tileField(tile, { sheet = null, value = null, scaleOf = () => [], onChange }) {
  const { name, title, kind, choices, default: usual } = tile;
  /** @param {Value} latest */
  const set = (latest) => onChange(name, latest);
  /** @type {(control: unknown, more?: string, head?: unknown) => unknown} */
  const place = (control, more = "", head = nothing) =>
    html`<div class="tile ${more}" data-tile=${name}>${head}${control}</div>`;
  const named = html`<span class="tile-title">${title}</span>`;
  if (kind === "counter") return counterField(tile, sheet, value, set, scaleOf);
  if (kind === "flag") return place(flagKey(tile, value, set), "flag");
  if (kind === "number") return place(numberStepper(tile, value, set));
  if (kind === "choice") {
    const options = (choices ?? []).map((choice) => ({ value: choice, text: plainWord(choice) }));
    const keys = choiceKeys(title, options, { value: value ?? usual, optional: usual === null, onPick: set });
    return place(keys.node, "wide", named);
  }
  if (kind === "dice") {
    /** @param {{ currentTarget: HTMLInputElement }} event */
    const read = ({ currentTarget: input }) => {
      const faces = facesIn(input.value);
      input.value = faces.join(" ");
      set(faces.length ? faces : null);
    };
    return place(
      html`<input type="text" inputmode="numeric" maxlength="80" autocomplete="off" placeholder=${t("page.field.as_in")} aria-label=${title} @change=${read}>`,
      "wide",
      named,
    );
  }
  const take = (/** @type {Event} */ event) => set(valueOf(event).trim() || null);
  return place(
    html`<input type="text" maxlength="80" autocomplete="off" value=${value ?? ""} aria-label=${title} @change=${take}>`,
    "",
    named,
  );
}

/** Fields of tiles, which write into a record. @param {Tile[]} tiles @param {Record<string, Value>} given */
export const tileFields = (tiles, given, how = {}, onChange = () => {}) =>
  tiles.map((tile) =>
    tileField(tile, {
      ...how,
      value: given[tile.name] ?? null,
      onChange(name, value) {
        given[name] = value;
        onChange();
      },
    }),
  );

/** What was given, without what was cleared. @param {Record<string, Value>} given */
export const givenOf = (given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** What tiles begin with; an untouched switch is not sent. @param {Tile[]} tiles @returns {Record<string, Value>} */
export const usualOf = (tiles) =>
  Object.fromEntries(tiles.filter(({ kind }) => kind !== "flag").map(({ name, default: usual }) => [name, usual]));
