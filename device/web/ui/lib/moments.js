// @ts-check
// Times as text, in the tray's time zone: the same on every screen and in every file.

import { language } from "./texts.js";

/** The tray's zone, as in "Europe/Berlin". */
export const zone =
  /** @type {HTMLMetaElement | null} */ (document.querySelector?.("meta[name=zone]"))?.content || "UTC";
const spokenIn = language === "en" ? [] : language;

/**
 * @param {string | Date} at
 * @param {Intl.DateTimeFormatOptions} [form]
 */
export function dayWords(at, form = { day: "2-digit", month: "2-digit", year: "numeric" }) {
  return new Date(at).toLocaleDateString(spokenIn, { ...form, timeZone: zone });
}

/** @param {string | Date} at */
export function timeWords(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime())
    ? ""
    : moment.toLocaleTimeString(spokenIn, { hour: "2-digit", minute: "2-digit", timeZone: zone });
}
