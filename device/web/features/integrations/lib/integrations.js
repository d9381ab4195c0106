// @ts-check
// An integration's status as text.

import { timeWords } from "../../../ui/lib/moments.js";
import { t } from "../../../ui/lib/texts.js";

/** @import { Setting } from "../../../ui/lib/settings-fields.js" */
/**
 * @typedef {object} Integration
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {boolean} on
 * @property {string | null} where
 * @property {boolean | null} connected
 * @property {number} sent
 * @property {string | null} last_sent
 * @property {number} waiting
 * @property {number} refused
 * @property {number} dropped
 * @property {string | null} last_error
 * @property {number | null} retry_in_s
 * @property {{ id: string, name: string }} [tray]
 * @property {Setting[]} [form]
 */

/**
 * The status lines of an integration: kind and text.
 * @param {Integration} one
 * @returns {[kind: string, text: string][]}
 */
export function linesOf(one) {
  /** @type {[string, string][]} */
  const lines = [];
  if (!one.on) return lines;
  if (one.where) lines.push(["where", t("page.integrations.line.where", { where: one.where })]);
  if (one.tray)
    lines.push(["tray", t(`page.integrations.line.${one.tray.name === one.tray.id ? "tray_id" : "tray"}`, one.tray)]);
  const at = one.last_sent ? timeWords(one.last_sent) : null;
  lines.push([
    "sent",
    at ? t("page.integrations.line.sent", { count: one.sent, at }) : t("page.integrations.line.none_sent"),
  ]);
  if (one.waiting) lines.push(["waiting", t("page.integrations.line.waiting", { count: one.waiting })]);
  if (one.refused) lines.push(["refused", t("page.integrations.line.refused", { count: one.refused })]);
  if (one.dropped) lines.push(["dropped", t("page.integrations.line.dropped", { count: one.dropped })]);
  if (one.last_error) lines.push(["error", one.last_error]);
  if (one.retry_in_s !== null)
    lines.push(["retry", t("page.integrations.line.retry", { seconds: Math.ceil(one.retry_in_s) })]);
  return lines;
}
