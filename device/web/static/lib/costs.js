// @ts-check
// What a result brought and what it cost, whether it met its aim, and how it compares: a sentence each.

import { maybe, t } from "./texts.js";
import { listWords, ruleWord, wordKey } from "./words.js";

/** @import { Snapshot } from "./types.js" */

/** @param {string | undefined} name */
function attributeWords(name) {
  return (name && maybe(`word.${wordKey(name)}`)) ?? t("page.cost.attribute");
}

/**
 * How a roll met its aim, and how rolls that are compared came out, as in `consequences`.
 * @param {Snapshot} snapshot
 * @returns {[kind: string, text: string][]}
 */
export function askedLines({ asked, measured, together = [] }) {
  /** @type {[kind: string, text: string][]} */
  const lines = together.flatMap(({ text }) => (text ? [["plain", text]] : []));
  if (measured) lines.unshift([measured.met ? "good" : "bad", `${asked?.aim_text}: ${measured.text}`]);
  return lines;
}

/**
 * What a push cost, or costs at least, a text each; harm that cannot be divided without the attribute, too.
 * @param {Record<string, any>} costs
 * @param {string} [attribute] its words, where the texts shall name what is left
 */
export function costTexts(costs, attribute) {
  /** @type {(name: string, count: number, after?: number | null, values?: Record<string, unknown>) => string} */
  const cost = (name, count, after, values = {}) => (count > 0 ? t(attribute && Number.isInteger(after) ? `page.cost.${name}_to` : `page.cost.${name}`, { count, after, ...values }) : "");
  const { damage_or_stress: either = costs.damage === null ? costs.base_ones : 0 } = costs;
  return [
    cost("trauma", costs.trauma, costs.attribute_after, { kind: ruleWord(costs.trauma_type ?? "trauma"), attribute }),
    cost("gear_damage", costs.gear_damage, costs.gear_bonus_after),
    cost("damage", costs.damage, costs.hp_after),
    cost("stress", costs.stress),
    cost("reliability", costs.reliability_loss, costs.reliability_after),
    cost("damage_or_stress", either),
    cost("stress_or_reliability", costs.stress_or_reliability),
  ].filter(Boolean);
}

/**
 * Each consequence as [kind, sentence]; kinds are good, bad, plain.
 * @param {Snapshot} snapshot
 * @returns {[kind: string, text: string][]}
 */
export function consequences(snapshot) {
  const { outcome, state, context } = snapshot;
  const lines = askedLines(snapshot);
  if (!outcome || (state === "awaiting_push" && snapshot.problems?.length)) return lines;
  if (outcome.stunts > 0) lines.push(["good", t("page.cost.stunts", { count: outcome.stunts })]);
  if (outcome.extra > 0) lines.push(["good", t("page.cost.extra", { count: outcome.extra })]);
  if (outcome.net_hits > 0 && !snapshot.measured) lines.push(["good", t("page.cost.net_hits", { count: outcome.net_hits })]);
  if (outcome.net_misses > 0 && !snapshot.measured) lines.push(["bad", t("page.cost.net_misses", { count: outcome.net_misses })]);
  if (outcome.critical_hit) lines.push(["good", t("page.cost.critical_hit")]);
  if (outcome.critical_miss) lines.push(["bad", t("page.cost.critical_miss")]);
  if (outcome.pending === "reroll_wild") lines.push(["good", t("page.cost.reroll_wild")]);
  if (outcome.botch) lines.push(["bad", t("page.cost.botch", { severity: outcome.botch_severity })]);
  if (state === "resolved") {
    const attribute = attributeWords(context?.attribute_name);
    const costs = costTexts(outcome, attribute);
    lines.push(...costs.map((text) => /** @type {[string, string]} */ (["bad", text])));
    if (!costs.length && ("trauma" in outcome || "damage" in outcome)) lines.push(["plain", t("page.cost.nothing")]);
    if (outcome.broken) lines.push(["bad", t("page.cost.broken", { attribute })]);
    if (outcome.gear_broken) lines.push(["bad", t("page.cost.gear_broken")]);
    if (outcome.incapacitated_after_action) lines.push(["bad", t("page.cost.incapacitated")]);
  } else if (outcome.push_costs && (snapshot.push?.eligible || state === "awaiting_push")) {
    const costs = costTexts(outcome.push_costs);
    if (costs.length) lines.push(["plain", t(state === "awaiting_push" ? "page.cost.push_costs" : "page.cost.a_push_costs", { costs: listWords(costs) })]);
  }
  return lines;
}
