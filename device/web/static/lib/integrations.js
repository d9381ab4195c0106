// @ts-check
// What can be set of each integration, what of a draft is sent, and how one is in words.

import { timeWords } from "./moments.js";
import { t } from "./texts.js";

/** @typedef {{ key: string, kind: "text" | "number" | "switch" | "secret" }} Field */
/** @typedef {Record<string, unknown>} Draft */
/**
 * @typedef {object} Integration
 * @property {string} name
 * @property {boolean} on
 * @property {string | null} where
 * @property {"page" | "file"} source
 * @property {boolean | null} connected
 * @property {number} sent
 * @property {string | null} last_sent
 * @property {number} waiting
 * @property {number} refused
 * @property {number} dropped
 * @property {string | null} last_error
 * @property {number | null} retry_in_s
 * @property {{ id: string, name: string }} [tray]
 * @property {Record<string, unknown>} [settings]
 * @property {Record<string, boolean>} [secrets]
 */

/** @type {Record<string, Field[]>} */
const FIELDS = {
  webhook: [
    { key: "url", kind: "secret" },
    { key: "secret", kind: "secret" },
  ],
  discord: [{ key: "url", kind: "secret" }],
  mqtt: [
    { key: "host", kind: "text" },
    { key: "port", kind: "number" },
    { key: "user", kind: "text" },
    { key: "password", kind: "secret" },
    { key: "name", kind: "text" },
    { key: "tray", kind: "text" },
    { key: "base", kind: "text" },
    { key: "ca_file", kind: "text" },
    { key: "discovery_prefix", kind: "text" },
    { key: "tls", kind: "switch" },
    { key: "discovery", kind: "switch" },
    { key: "commands", kind: "switch" },
    { key: "club", kind: "switch" },
  ],
};

/** @param {string} name */
export const fieldsOf = (name) => FIELDS[name] ?? [];

/**
 * What of a draft is sent: texts without the blanks around them, numbers as such, and null for what was emptied.
 * @param {string} name
 * @param {Draft} draft
 * @returns {{ settings: Draft, wrong: string | null }} `wrong` is the first key that should be a number and is none
 */
export function wanted(name, draft) {
  /** @type {Draft} */
  const settings = {};
  for (const { key, kind } of fieldsOf(name)) {
    if (!(key in draft)) continue;
    const value = draft[key];
    const text = typeof value === "string" ? value.trim() : value;
    if (kind === "number" && text !== "" && !/^\d{1,9}$/.test(String(text))) return { settings: {}, wrong: key };
    settings[key] = text === "" ? null : kind === "number" ? Number(text) : text;
  }
  return { settings, wrong: null };
}

/**
 * How one is, a line each: which kind of line, and its text.
 * @param {Integration} one
 * @returns {[kind: string, text: string][]}
 */
export function linesOf(one) {
  /** @type {[string, string][]} */
  const lines = [];
  if (!one.on) return lines;
  if (one.where) lines.push(["where", t("page.integrations.line.where", { where: one.where })]);
  if (one.tray) lines.push(["tray", t(`page.integrations.line.${one.tray.name === one.tray.id ? "tray_id" : "tray"}`, one.tray)]);
  const at = one.last_sent ? timeWords(one.last_sent) : null;
  lines.push(["sent", at ? t("page.integrations.line.sent", { count: one.sent, at }) : t("page.integrations.line.none_sent")]);
  if (one.waiting) lines.push(["waiting", t("page.integrations.line.waiting", { count: one.waiting })]);
  if (one.refused) lines.push(["refused", t("page.integrations.line.refused", { count: one.refused })]);
  if (one.dropped) lines.push(["dropped", t("page.integrations.line.dropped", { count: one.dropped })]);
  if (one.last_error) lines.push(["error", one.last_error]);
  if (one.retry_in_s !== null) lines.push(["retry", t("page.integrations.line.retry", { seconds: Math.ceil(one.retry_in_s) })]);
  return lines;
}
