// @ts-check
// Exact odds, shown in percent: before the throw for the declared pool, after it for a push of what lies there.

import { byId } from "../lib/dom.js";
import { language, t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "../lib/vendor/lit-html/lit-html.js" */
/** @import { Odds } from "../lib/types.js" */

/**
 * A fraction "num/den" of any length as a number; exact integers first, so that long ones do not overflow.
 * @param {string} fraction
 */
export function toNumber(fraction) {
  const [over, under = "1"] = String(fraction).split("/");
  const scaled = (BigInt(over) * 1000000n) / BigInt(under);
  return Number(scaled) / 1e6;
}

/**
 * @param {number} number
 * @param {number} places
 */
function digits(number, places) {
  return number.toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false });
}

/** @param {string} fraction */
export function percent(fraction) {
  const share = toNumber(fraction);
  if (share > 0 && share < 0.001) return t("page.odds.tiny");
  if (share < 1 && share > 0.999) return t("page.odds.sure");
  const percents = share * 100;
  const few = share >= 0.0995 && share < 0.9995 ? 0 : 1;
  return `${digits(percents, Number.isInteger(Number(percents.toFixed(few))) ? 0 : few)} %`;
}

const LINES = ["p_success", "p_success_if_pushed", "p_draw", "p_full", "p_mixed", "p_critical", "p_failure", "p_critical_hit", "p_critical_miss"];
const BAD = new Set(["p_failure", "p_critical_miss"]);
const MEANS = ["expected_successes", "expected_successes_if_always_pushed", "expected_hits", "mean"];
const AT_LEAST = ["p_trauma_at_least", "p_gear_damage_at_least", "p_base_ones_at_least", "p_ammo_ones_at_least"];
/** @param {string} key */
const label = (key) => t(`page.odds.${key}`);

/**
 * @param {string} text
 * @param {string} fraction
 * @param {string} shown
 * @param {"good" | "bad" | "mean"} kind
 */
function line(text, fraction, shown, kind) {
  const share = kind === "mean" ? "" : `--share: ${Math.min(1, Math.max(0, toNumber(fraction)))}`;
  return html`<div class="odds-line ${kind}" .style=${share}><dt>${text}</dt><dd title=${fraction}>${shown}</dd></div>`;
}

// A chance that depends on what nobody has said yet, as the number to reach, is null.
/** @param {string | null | undefined} fraction */
const isKnown = (fraction) => fraction !== undefined && fraction !== null;

/**
 * Every line that these odds have, best known first.
 * @param {Odds} facts
 * @returns {TemplateResult[]}
 */
export function oddsLines(facts) {
  const lines = LINES.filter((key) => isKnown(facts[key])).map((key) => line(label(key), facts[key], percent(facts[key]), BAD.has(key) ? "bad" : "good"));
  for (const [hits, chance] of Object.entries(facts.p_hits_at_least ?? {})) {
    if (Number(hits) >= 1 && Number(hits) <= 6) lines.push(line(t("page.odds.hits", { count: Number(hits) }), chance, percent(chance), "good"));
  }
  for (const key of AT_LEAST) {
    const one = facts[key]?.["1"];
    if (one !== undefined && toNumber(one) > 0) lines.push(line(label(key), one, percent(one), "bad"));
  }
  for (const key of MEANS) if (isKnown(facts[key])) lines.push(line(label(key), facts[key], digits(toNumber(facts[key]), 2), "mean"));
  return lines;
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} title
 * @param {{ pool?: Odds | null, table?: Odds | null } | null} odds
 */
export function renderOdds(place, title, odds) {
  const facts = odds?.table ?? odds?.pool;
  title.textContent = t(odds?.table ? "page.odds.of_push" : !odds?.pool ? "page.table.odds" : odds.pool.p_success_if_pushed ? "page.odds.of_pool_pushed" : "page.odds.of_pool");
  byId("no-odds").hidden = Boolean(facts);
  render(facts ? html`<dl>${oddsLines(facts)}</dl>` : nothing, place);
}
