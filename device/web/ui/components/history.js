// @ts-check
// Earlier rolls, newest first, each in one row with its pushes and corrections; a corrected die shows both values.

import { byId } from "../lib/dom.js";
import { timeWords } from "../lib/moments.js";
import { maybe, t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";
import { capital, headlineWord } from "../lib/words.js";
import { miniDie } from "./mini-die.js";

/** @import { Colours, HistoryRow } from "../lib/types.js" */

/**
 * The rows of the log, newest first, grouped by roll, with later corrections.
 * @param {HistoryRow[]} rows
 * @returns {(HistoryRow & { kinds: string[] })[]}
 */
export function byRoll(rows) {
  /** @type {(HistoryRow & { kinds: string[] })[]} */
  const rolls = [];
  for (const row of rows) {
    const newer = rolls.at(-1);
    if (newer && row.roll !== undefined && row.roll === newer.roll) newer.kinds.push(row.kind);
    else rolls.push({ ...row, kinds: [row.kind] });
  }
  return rolls;
}

/**
 * What happened to a roll after it was rolled, in order, each once: "Pushed, corrected".
 * @param {string[]} kinds newest first
 */
export function kindsWords(kinds) {
  const later = [...new Set([...kinds].reverse())].filter((kind) => kind !== "scored" && kind !== "undone");
  const told = later.length ? later : ["scored"];
  return capital(told.map((kind) => maybe(`page.row.${kind}`) ?? String(kind ?? "")).join(", "));
}

/** One row of the history. @param {HistoryRow & { kinds?: string[] }} entry @param {Colours} [colours] */
export function historyRow(entry, colours) {
  const { outcome } = entry;
  const kind = entry.hidden ? t("page.turn.hidden") : kindsWords(entry.kinds ?? [entry.kind]);
  const note = [entry.owner ?? "", kind, ...(entry.costs ?? [])].filter(Boolean).join(" · ");
  return html`<li class="history-row" data-testid="history-row" data-roll-id=${entry.id} data-kind=${entry.kind}>
    <span class="history-number" title=${outcome?.headline ? headlineWord(outcome.headline) : ""}>${outcome?.headline?.value ?? "–"}</span>
    <span class="history-dice">${(entry.dice ?? []).map((die) => miniDie(die, colours))}</span>
    <span class="history-note" title=${entry.label ?? ""}>${note}</span>
    <time datetime=${entry.at ?? ""}>${timeWords(entry.at) || entry.at}</time>
  </li>`;
}

/** @param {HTMLElement} place @param {HistoryRow[]} rows @param {Colours} [colours] */
export function renderHistory(place, rows, colours) {
  byId("no-history").hidden = rows.length > 0;
  render(
    byRoll(rows).map((entry) => historyRow(entry, colours)),
    place,
  );
}
