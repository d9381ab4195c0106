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
 * Each consequence as [kind, sentence]; kinds are good, bad, plain.
 * @param {Snapshot} snapshot
 * @returns {[kind: string, text: string][]}
 */
export function consequences(snapshot) {
  const { outcome, state, context } = snapshot;
  const lines = askedLines(snapshot);
  if (!outcome || (state === "awaiting_push" && snapshot.problems?.length)) return lines;
  const attribute = attributeWords(context?.attribute_name);
  /**
   * A cost with where it leaves what it is taken off, where that is known.
   * @type {(name: string, count: number, after: number | undefined, values?: Record<string, unknown>) => string}
   */
  const cost = (name, count, after, values = {}) => (Number.isInteger(after) ? t(`page.cost.${name}_to`, { count, after, ...values }) : t(`page.cost.${name}`, { count, ...values }));
  if (outcome.stunts > 0) lines.push(["good", t("page.cost.stunts", { count: outcome.stunts })]);
  if (outcome.extra > 0) lines.push(["good", t("page.cost.extra", { count: outcome.extra })]);
  if (outcome.net_hits > 0 && !snapshot.measured) lines.push(["good", t("page.cost.net_hits", { count: outcome.net_hits })]);
  if (outcome.net_misses > 0 && !snapshot.measured) lines.push(["bad", t("page.cost.net_misses", { count: outcome.net_misses })]);
  if (outcome.critical_hit) lines.push(["good", t("page.cost.critical_hit")]);
  if (outcome.critical_miss) lines.push(["bad", t("page.cost.critical_miss")]);
  if (outcome.pending === "reroll_wild") lines.push(["good", t("page.cost.reroll_wild")]);
  if (outcome.botch) lines.push(["bad", t("page.cost.botch", { severity: outcome.botch_severity })]);
  if (state === "resolved") {
    if (outcome.trauma > 0) lines.push(["bad", cost("trauma", outcome.trauma, outcome.attribute_after, { kind: ruleWord(outcome.trauma_type ?? "trauma"), attribute })]);
    if (outcome.broken) lines.push(["bad", t("page.cost.broken", { attribute })]);
    if (outcome.gear_damage > 0) lines.push(["bad", cost("gear_damage", outcome.gear_damage, outcome.gear_bonus_after)]);
    if (outcome.gear_broken) lines.push(["bad", t("page.cost.gear_broken")]);
    if (outcome.damage > 0) lines.push(["bad", cost("damage", outcome.damage, outcome.hp_after)]);
    if (outcome.stress > 0) lines.push(["bad", t("page.cost.stress", { count: outcome.stress })]);
    if (outcome.incapacitated_after_action) lines.push(["bad", t("page.cost.incapacitated")]);
    if (outcome.reliability_loss > 0) lines.push(["bad", cost("reliability", outcome.reliability_loss, outcome.reliability_after)]);
    const paid = [outcome.trauma, outcome.gear_damage, outcome.damage, outcome.stress, outcome.reliability_loss].filter(Number.isInteger);
    if (paid.length && paid.every((one) => one === 0)) lines.push(["plain", t("page.cost.nothing")]);
  } else if (snapshot.push?.eligible || state === "awaiting_push") {
    const costs = [];
    const isStep = "ammo_ones" in outcome;
    if (outcome.base_ones > 0) costs.push(t(isStep ? "page.cost.damage_or_stress" : "page.cost.trauma_due", { count: outcome.base_ones }));
    if (outcome.gear_ones > 0) costs.push(t("page.cost.gear_damage", { count: outcome.gear_ones }));
    if (costs.length) lines.push(["plain", t(state === "awaiting_push" ? "page.cost.push_costs" : "page.cost.a_push_costs", { costs: listWords(costs) })]);
  }
  return lines;
}
