// @ts-check
// Exact odds in percent: of the declared pool before the throw, of a push after it.

import { byId } from "../lib/dom.js";
import { language, t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "../lib/vendor/lit-html/lit-html.js" */
/** @import { Odds, OddsRow } from "../lib/types.js" */

/**
 * A fraction "num/den" of any length as a number, by exact integers so that long ones do not overflow.
 * @param {string} fraction
 */
export function toNumber(fraction) {
  const [over, under = "1"] = String(fraction).split("/");
  const scaled = (BigInt(over) * 1000000n) / BigInt(under);
  return Number(scaled) / 1e6;
}

/** @param {number} number @param {number} places */
function digits(number, places) {
  return number.toLocaleString(language, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping: false,
  });
}

/** @param {string} fraction */
export function percent(fraction) {
  const share = toNumber(fraction);
  if (share > 0 && share < 0.001) return t("page.odds.tiny");
  if (share < 1 && share > 0.999) return t("page.odds.sure");
  const percents = share * 100;
  const few = share >= 0.0995 && share < 0.9995 ? 0 : 1;
  return t("page.odds.percent", {
    number: digits(percents, Number.isInteger(Number(percents.toFixed(few))) ? 0 : few),
  });
}

/** The rows that the tray sends of odds. @param {OddsRow[]} rows @returns {TemplateResult[]} */
export const oddsLines = (rows) =>
  rows.map(({ text, kind, fraction }) => {
    const isMean = kind === "mean";
    const share = isMean ? "" : `--share: ${Math.min(1, Math.max(0, toNumber(fraction)))}`;
    return html`<div class="odds-line ${kind}" .style=${share}><dt>${text}</dt><dd title=${fraction}>${isMean ? digits(toNumber(fraction), 2) : percent(fraction)}</dd></div>`;
  });

/** @param {Odds | undefined} odds */
export function renderOdds(odds) {
  const { note, title, rows = [] } = odds ?? {};
  byId("no-odds").hidden = !note;
  byId("no-odds").textContent = note ?? "";
  byId("odds-title").textContent = title ?? t("page.table.odds");
  render(rows.length ? html`<dl>${oddsLines(rows)}</dl>` : nothing, byId("odds"));
}
