// @ts-check
// Options in the overlay's URL: size, corner, with or without the player, what is shown.
// Each option is checked; a wrong value is reported in one line with the option's meaning.

import { t } from "../../../ui/lib/texts.js";

/**
 * @typedef {object} OverlayOptions
 * @property {number} size in hundredths of the usual size
 * @property {string} corner of the picture in which the plate stands
 * @property {boolean} hasName whether it says whose roll it is
 * @property {string} only what is shown: everything that happens, or results alone
 */

const SIZES = [25, 400];
// The window width for the default size.
const MIN_WIDTH_PX = 390;
const CHOICES = {
  corner: ["bottom-left", "bottom-right", "top-left", "top-right"],
  name: ["on", "off"],
  only: ["all", "results"],
};
const NAMES = ["size", ...Object.keys(CHOICES)];
// The server reads the language.
const OTHERS = ["lang"];

/**
 * @param {string} search as in `?size=150&corner=top-right`
 * @returns {{ options: OverlayOptions, wrong: string }} the options, and what is wrong with the first that is; empty: nothing
 */
export function overlayOptions(search) {
  const given = new URLSearchParams(search);
  const unknown = [...given.keys()].find((name) => !NAMES.includes(name) && !OTHERS.includes(name));
  let wrong = unknown === undefined ? "" : t("page.overlay.unknown", { name: unknown, known: NAMES });

  /** @param {string} text */
  const refuse = (text) => {
    wrong ||= text;
  };

  /** @param {keyof typeof CHOICES} name */
  function choice(name) {
    const known = CHOICES[name];
    const value = given.get(name) ?? known[0];
    if (known.includes(value)) return value;
    refuse(t("page.overlay.bad_choice", { name, value, known: known.join(", ") }));
    return known[0];
  }

  function size() {
    const value = given.get("size") ?? "100";
    const number = /^\d{1,4}%?$/.test(value) ? parseInt(value, 10) : NaN;
    if (number >= SIZES[0] && number <= SIZES[1]) return number;
    refuse(t("page.overlay.bad_size", { value, least: SIZES[0], most: SIZES[1] }));
    return 100;
  }

  const options = { size: size(), corner: choice("corner"), hasName: choice("name") === "on", only: choice("only") };
  return { options, wrong };
}

/**
 * Whether the overlay is shown: never over an empty tray, and with `results` only during a result.
 * @param {{ state: string, outcome?: unknown }} snapshot
 * @param {OverlayOptions} options
 */
export function isShown({ state, outcome }, options) {
  return state !== "empty" && (options.only !== "results" || Boolean(outcome));
}

/**
 * The scale of the overlay: as requested, limited by the window's width.
 * @param {OverlayOptions} options
 * @param {number} widthPx
 */
export const fittingSize = ({ size }, widthPx) => Math.min(size / 100, widthPx / MIN_WIDTH_PX);
