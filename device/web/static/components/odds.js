// Exact odds, shown in percent: before the throw for the declared pool, after it for a push of what lies there.

import { html } from "../lib/drawing.js";

// A fraction "num/den" of any length as a number; exact integers first, so that long ones do not overflow.
export function toNumber(fraction) {
  const [over, under = "1"] = String(fraction).split("/");
  const scaled = (BigInt(over) * 1000000n) / BigInt(under);
  return Number(scaled) / 1e6;
}

function percent(fraction) {
  const share = toNumber(fraction);
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share < 1 && share > 0.999) return "> 99.9 %";
  const text = share >= 0.0995 && share < 0.9995 ? (share * 100).toFixed(0) : (share * 100).toFixed(1);
  return `${text.replace(/\.0$/, "")} %`;
}

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
const MEANS = [
  ["expected_successes", "On average"],
  ["expected_successes_if_always_pushed", "On average, pushed"],
  ["expected_hits", "Hits on average"],
  ["mean", "Total on average"],
];
const AT_LEAST = [
  ["p_trauma_at_least", "Trauma"],
  ["p_gear_damage_at_least", "Gear damage"],
  ["p_base_ones_at_least", "Damage or stress"],
  ["p_ammo_ones_at_least", "Reliability loss"],
];

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

export function renderOdds(place, title, odds) {
  const which = odds?.table ? "table" : odds?.pool ? "pool" : null;
  title.textContent = which === "table" ? "Odds of a push now" : which === "pool" ? (odds.pool.p_success_if_pushed ? "Odds of this pool (costs: if pushed)" : "Odds of this pool") : "Odds";
  if (!which) {
    place.replaceChildren(html("p", { class: "quiet" }, "Exact odds stand here for a declared pool, and for a push."));
    return;
  }
  place.replaceChildren(html("dl", {}, ...oddsLines(odds[which])));
}
