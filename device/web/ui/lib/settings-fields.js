// @ts-check
// A field of the settings: its value and the line next to it.

import { t } from "./texts.js";

/** @typedef {string | number | boolean | string[] | null} Value */
/**
 * A setting as /api/settings describes it.
 * @typedef {object} Setting
 * @property {string} key
 * @property {string} title
 * @property {string} help
 * @property {"word" | "switch" | "whole" | "number" | "text" | "texts" | "secret"} kind
 * @property {{ value: string | number, title: string }[]} words
 * @property {string[]} suggested
 * @property {number | null} low
 * @property {number | null} high
 * @property {boolean} is_open whether the least number itself is too small
 * @property {Value} usual
 * @property {Value} value what the file says; null: nothing
 * @property {Value} holds what the tray runs with
 * @property {boolean} live whether a change holds at once
 * @property {boolean} pending whether the file says something that holds from the next start on
 * @property {boolean} overridden whether the command line says something else
 * @property {boolean} [kept] whether a secret is kept that no page shows
 */

/**
 * The choices of a setting; null if it is typed.
 * @param {Setting} setting
 * @returns {{ value: Value, title: string }[] | null}
 */
export function choicesOf({ kind, words }) {
  if (kind === "word") return words;
  if (kind === "switch")
    return [
      { value: true, title: t("page.settings.on") },
      { value: false, title: t("page.settings.off") },
    ];
  return null;
}

/**
 * A value as text.
 * @param {Setting} setting
 * @param {Value} value
 */
export function inWords(setting, value) {
  const chosen = choicesOf(setting)?.find((one) => one.value === value);
  if (chosen) return chosen.title;
  if (value === null || (Array.isArray(value) && !value.length)) return t("page.settings.nothing");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/**
 * The typed value for the setting; an empty field removes it from the file. Invalid numbers are sent unchanged, so that
 * the tray reports the error.
 * @param {Setting} setting
 * @param {string} text
 * @returns {Value}
 */
export function typed({ kind }, text) {
  const plain = text.trim();
  if (!plain) return null;
  if (kind === "texts") return plain.split(/[\s,;]+/).filter(Boolean);
  // Including the German decimal comma.
  const number = Number(plain.replace(",", "."));
  return (kind === "whole" || kind === "number") && Number.isFinite(number) ? number : plain;
}

/**
 * Whether a setting matches a search.
 * @param {Setting} setting
 * @param {string} words
 */
export function isFound({ key, title, help }, words) {
  const text = `${key} ${title} ${help}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * When a setting takes effect, in a sentence; empty if it already has.
 * @param {Setting} setting
 */
export function noteOf(setting) {
  if (setting.overridden) return t("page.settings.overridden", { value: inWords(setting, setting.holds) });
  return setting.pending ? t("page.settings.pending", { value: inWords(setting, setting.holds) }) : "";
}

/**
 * A number's range and default.
 * @param {Setting} setting
 */
export function limitsOf(setting) {
  const { low, high, is_open: isOpen, usual } = setting;
  const isSet = usual !== null && !(Array.isArray(usual) && !usual.length);
  const range =
    low === null
      ? ""
      : high === null
        ? t("page.settings.from", { low })
        : t(isOpen ? "page.settings.above" : "page.settings.range", { low, high });
  const unset = isSet ? t("page.settings.usual", { value: inWords(setting, usual) }) : "";
  return [range, unset].filter(Boolean).join(" · ");
}
