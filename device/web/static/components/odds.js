// Exact odds, shown in percent: before the throw for the declared pool, after it for a push of what lies there.

import { html } from "../lib/drawing.js";
import { language, t } from "../lib/texts.js";

// A fraction "num/den" of any length as a number; exact integers first, so that long ones do not overflow.
export function toNumber(fraction) {
  const [over, under = "1"] = String(fraction).split("/");
  const scaled = (BigInt(over) * 1000000n) / BigInt(under);
  return Number(scaled) / 1e6;
}

function digits(number, places) {
  return number.toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false });
}

function percent(fraction) {
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
const label = (key) => t(`page.odds.${key}`);

function line(label, fraction, shown, kind) {
  const share = kind === "mean" ? null : Math.min(1, Math.max(0, toNumber(fraction)));
  const node = html("div", { class: `odds-line ${kind}` }, html("dt", {}, label), html("dd", { title: String(fraction) }, shown));
  if (share !== null) node.style.setProperty("--share", String(share));
  return node;
}

// A chance that depends on what nobody has said yet, as the number to reach, is null.
const isKnown = (fraction) => fraction !== undefined && fraction !== null;

// Every line that these odds have, best known first.
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

export function renderOdds(place, title, odds) {
  const which = odds?.table ? "table" : odds?.pool ? "pool" : null;
  title.textContent = t(which === "table" ? "page.odds.of_push" : which !== "pool" ? "page.table.odds" : odds.pool.p_success_if_pushed ? "page.odds.of_pool_pushed" : "page.odds.of_pool");
  if (!which) {
    place.replaceChildren(html("p", { class: "quiet" }, t("page.odds.none")));
    return;
  }
  place.replaceChildren(html("dl", {}, ...oddsLines(odds[which])));
}
