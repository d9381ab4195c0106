// @ts-check
// Times as text, in the tray's time zone: the same on every screen and in every file.

import { language, t } from "./texts.js";

/** The tray's zone, as in "Europe/Berlin". */
export const zone =
  /** @type {HTMLMetaElement | null} */ (document.querySelector?.("meta[name=zone]"))?.content || "UTC";

/**
 * A day, written as in the printed story; with a form by its names, as on the idle screen.
 * @param {string | Date} at
 * @param {Intl.DateTimeFormatOptions} [form]
 */
export function dayWords(at, form) {
  const date = new Date(at);
  if (form) return date.toLocaleDateString(language, { ...form, timeZone: zone });
  const [year, month, day] = date.toLocaleDateString("sv", { timeZone: zone }).split("-");
  return t("page.date", { year, month, day });
}

/** @param {string | Date} at */
export function timeWords(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime())
    ? ""
    : moment.toLocaleTimeString("sv", { hour: "2-digit", minute: "2-digit", timeZone: zone });
}
