// @ts-check
// An integration's status as text.

import { timeWords } from "../../../ui/lib/moments.js";
import { t } from "../../../ui/lib/texts.js";

/** @import { Integration } from "../../../ui/lib/types.js" */

/**
 * The status lines of an integration: kind and text.
 * @param {Integration} one
 * @returns {[kind: string, text: string][]}
 */
export function linesOf(one) {
  const {
    on,
    where,
    tray,
    sent,
    last_sent: last,
    waiting,
    refused,
    dropped,
    last_error: error,
    retry_in_s: retry,
  } = one;
  if (!on) return [];
  const at = last ? timeWords(last) : "";
  /** Each with whether it is shown. @type {[kind: string, isShown: unknown, key: string, values?: object][]} */
  const lines = [
    ["where", where, "where", { where }],
    ["tray", tray, tray?.name === tray?.id ? "tray_id" : "tray", tray],
    ["sent", true, at ? "sent" : "none_sent", { count: sent, at }],
    ["waiting", waiting, "waiting", { count: waiting }],
    ["refused", refused, "refused", { count: refused }],
    ["dropped", dropped, "dropped", { count: dropped }],
    ["error", error, "error"],
    ["retry", retry !== null, "retry", { seconds: Math.ceil(retry ?? 0) }],
  ];
  return lines.flatMap(([kind, isShown, key, values]) =>
    isShown ? [[kind, kind === "error" ? String(error) : t(`page.integrations.line.${key}`, values)]] : [],
  );
}
