// @ts-check
// Exact odds, shown in percent: before the throw for the declared pool, after it for a push of what lies there.

import { byId } from "../lib/dom.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "../lib/vendor/lit-html/lit-html.js" */
/** @import { Odds } from "../lib/types.js" */
/** @typedef {[key: string, label: string][]} Labels */

/**
 * A fraction "num/den" of any length as a number; exact integers first, so that long ones do not overflow.
 * @param {string} fraction
 */
export function toNumber(fraction) {
  const [over, under = "1"] = String(fraction).split("/");
  const scaled = (BigInt(over) * 1000000n) / BigInt(under);
  return Number(scaled) / 1e6;
}

/** @param {string} fraction */
export function percent(fraction) {
  const share = toNumber(fraction);
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share < 1 && share > 0.999) return "> 99.9 %";
  const text = share >= 0.0995 && share < 0.9995 ? (share * 100).toFixed(0) : (share * 100).toFixed(1);
  return `${text.replace(/\.0$/, "")} %`;
}

/** @type {Labels} */
const LINES = [
  ["p_success", "Success"],
  ["p_success_if_pushed", "If pushed on failure"],
  ["p_draw", "Draw"],
  ["p_full", "Full success"],
  ["p_mixed", "Mixed"],
  ["p_critical", "Critical"],
  ["p_failure", "Failure"],
  ["p_critical_hit", "Critical hit"],
  ["p_critical_miss", "Critical miss"],
];
const BAD = new Set(["p_failure", "p_critical_miss"]);
/** @type {Labels} */
const MEANS = [
  ["expected_successes", "On average"],
  ["expected_successes_if_always_pushed", "On average, pushed"],
  ["expected_hits", "Hits on average"],
  ["mean", "Total on average"],
];
/** @type {Labels} */
const AT_LEAST = [
  ["p_trauma_at_least", "Trauma"],
  ["p_gear_damage_at_least", "Gear damage"],
  ["p_base_ones_at_least", "Damage or stress"],
  ["p_ammo_ones_at_least", "Reliability loss"],
];

/**
 * @param {string} label
 * @param {string} fraction
 * @param {string} shown
 * @param {"good" | "bad" | "mean"} kind
 */
function line(label, fraction, shown, kind) {
  const share = kind === "mean" ? "" : `--share: ${Math.min(1, Math.max(0, toNumber(fraction)))}`;
  return html`<div class="odds-line ${kind}" .style=${share}><dt>${label}</dt><dd title=${fraction}>${shown}</dd></div>`;
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
  const lines = LINES.filter(([key]) => isKnown(facts[key])).map(([key, label]) => line(label, facts[key], percent(facts[key]), BAD.has(key) ? "bad" : "good"));
  for (const [hits, chance] of Object.entries(facts.p_hits_at_least ?? {})) {
    if (Number(hits) >= 1 && Number(hits) <= 6) lines.push(line(`${hits} or more hits`, chance, percent(chance), "good"));
  }
  for (const [key, label] of AT_LEAST) {
    const one = facts[key]?.["1"];
    if (one !== undefined && toNumber(one) > 0) lines.push(line(label, one, percent(one), "bad"));
  }
  for (const [key, label] of MEANS) if (isKnown(facts[key])) lines.push(line(label, facts[key], toNumber(facts[key]).toFixed(2), "mean"));
  return lines;
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} title
 * @param {{ pool?: Odds | null, table?: Odds | null } | null} odds
 */
export function renderOdds(place, title, odds) {
  const facts = odds?.table ?? odds?.pool;
  title.textContent = odds?.table ? "Odds of a push now" : odds?.pool ? (odds.pool.p_success_if_pushed ? "Odds of this pool (costs: if pushed)" : "Odds of this pool") : "Odds";
  byId("no-odds").hidden = Boolean(facts);
  render(facts ? html`<dl>${oddsLines(facts)}</dl>` : nothing, place);
}
