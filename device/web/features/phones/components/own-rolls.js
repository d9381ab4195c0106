// @ts-check
// A player's own rolls: totals, faces, the newest rolls.

import { t } from "../../../ui/lib/texts.js";
import { faceWord } from "../../../ui/lib/words.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { historyRow } from "../../../ui/components/history.js";

/** @import { Colours, OwnRolls } from "../../../ui/lib/types.js" */

/** A share in whole percent; 0 of 0 is 0. @param {number} part @param {number} whole */
export const share = (part, whole) =>
  whole ? t("page.odds.percent", { number: Math.round((100 * part) / whole) }) : "";

/** @param {OwnRolls} own @param {Colours} [colours] */
export function ownRolls({ rolls, counts }, colours) {
  const judged = counts.succeeded + counts.failed;
  const faces = [...counts.faces.entries()].map(([place, count]) => ({ value: place + 1, count }));
  if (counts.blanks) faces.push({ value: 0, count: counts.blanks });
  const dice = faces.reduce((sum, { count }) => sum + count, 0);
  /** @type {[name: string, value: number, note: string][]} */
  const facts = [
    [t("page.me.rolls"), counts.rolls, ""],
    [t("page.me.succeeded"), counts.succeeded, share(counts.succeeded, judged)],
    [
      t("page.me.pushed"),
      counts.pushed,
      counts.pushed ? t("page.me.pushed_well", { count: counts.pushed_succeeded }) : "",
    ],
  ];
  return html`<dl class="facts-list own-counts" data-testid="own-counts">${facts.map(([name, value, note]) => html`<div><dt>${name}</dt><dd>${value}${note ? html` <small>${note}</small>` : ""}</dd></div>`)}</dl>
    ${dice ? html`<h3>${t("page.me.faces", { count: dice })}</h3><ol class="faces" data-testid="faces">${faces.map(({ value, count }) => html`<li><b>${faceWord(value)}</b> ${count} <small>${share(count, dice)}</small></li>`)}</ol>` : ""}
    <ol class="own-rolls" aria-label=${t("page.table.earlier_newest")}>${rolls.map((row) => historyRow(row, colours))}</ol>`;
}
