// @ts-check
// A field of the settings: its value and the line next to it.

import { t } from "./texts.js";

/** @import { Setting, SettingValue as Value } from "./types.js" */

/**
 * The choices of a setting; null if it is typed.
 * @param {Setting} setting
 * @returns {{ value: Value, title: string }[] | null}
 */
export function choicesOf({ kind, words }) {
  if (kind === "word") return words;
  if (kind !== "switch") return null;
  return [true, false].map((value) => ({ value, title: t(value ? "page.settings.on" : "page.settings.off") }));
}

/** A value as text. @param {Setting} setting @param {Value} value */
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

/** Whether a setting matches a search. @param {Setting} setting @param {string} words */
export function isFound({ key, title, help }, words) {
  const text = `${key} ${title} ${help}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** When a setting takes effect, in a sentence; empty if it already has. @param {Setting} setting */
export function noteOf(setting) {
  const note = setting.overridden ? "overridden" : setting.pending ? "pending" : null;
  return note ? t(`page.settings.${note}`, { value: inWords(setting, setting.holds) }) : "";
}

/** A number's range and default. @param {Setting} setting */
export function limitsOf(setting) {
  const { low, high, is_open: isOpen, usual } = setting;
  const isSet = usual !== null && !(Array.isArray(usual) && !usual.length);
  const bound = high === null ? "from" : isOpen ? "above" : "range";
  const range = low === null ? "" : t(`page.settings.${bound}`, { low, high });
  const unset = isSet ? t("page.settings.usual", { value: inWords(setting, usual) }) : "";
  return [range, unset].filter(Boolean).join(" · ");
}
