// @ts-check
// SVG icons and the colours of dice, shared by everything that shows a die.

import { html } from "./vendor/lit-html/lit-html.js";

/** @import { Colours, Point } from "./types.js" */

/** @type {Colours} */
export const BODY_HEX = {
  white: "#f4f2ec",
  grey: "#8b9097",
  black: "#26282b",
  red: "#cf3b34",
  orange: "#e9822b",
  yellow: "#f2b632",
  green: "#2a8547",
  teal: "#14808a",
  blue: "#2f6bd0",
  purple: "#7b4fc0",
  pink: "#e676a8",
  brown: "#7c5236",
};
const DARK_BODIES = new Set(["black", "red", "green", "teal", "blue", "purple", "brown"]);

/** @type {Record<string, string>} */
const ICONS = {
  stay: "M7 11V8a5 5 0 0 1 10 0v3h1.5v9.5h-13V11zm2.4 0h5.2V8a2.6 2.6 0 0 0-5.2 0z",
  reroll: "M12 3.5a8.5 8.5 0 0 1 6.3 2.8L20.5 4v6.6h-6.6l2.5-2.5a5.8 5.8 0 1 0 1.3 5.6l2.6.8A8.5 8.5 0 1 1 12 3.5z",
  unread:
    "M10.6 17.6h2.9v2.9h-2.9zM12 3.6c3 0 5.2 1.9 5.2 4.6 0 2-1 3.1-2.3 4-1.1.8-1.5 1.2-1.5 2.3v.8h-2.8v-1c0-2 .9-3 2.1-3.8 1-.7 1.6-1.2 1.6-2.2 0-1.2-1-2-2.4-2-1.5 0-2.5.9-2.6 2.5H6.5c.1-3.1 2.3-5.2 5.5-5.2z",
  wrong: "M10.4 3.5h3.2l-.4 10.6h-2.4zM10.4 16.9h3.2v3.4h-3.2z",
  corrected: "M4 20l1-4.6L15.6 4.8l3.6 3.6L8.6 19z",
  final: "M5 12.5l2-2 3.4 3.4L17 7.2l2 2-8.6 8.7z",
  picked: "M12 4l6.5 7H14v8.5h-4V11H5.5z",
  counted: "M3.8 12.6l2.5-2.5 4.1 4.1 7.4-7.6 2.5 2.5-9.9 10z",
  cost: "M4.5 10h15v4.2h-15z",
  wild: "M12 2.8l2.7 6 6.5.7-4.9 4.3 1.4 6.4-5.7-3.3-5.7 3.3 1.4-6.4-4.9-4.3 6.5-.7z",
  highest: "M12 4l8 8.2h-4.4V20H8.4v-7.8H4z",
  discarded: "M6.2 4l5.8 5.8L17.8 4 20 6.2 14.2 12l5.8 5.8-2.2 2.2-5.8-5.8L6.2 20 4 17.8 9.8 12 4 6.2z",
  nothing: "M9.3 12a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0-5.4 0z",
};

export const MARKS = ["highest", "wild", "counted", "cost", "discarded", "nothing"];

/** @param {string} kind */
export function icon(kind) {
  return html`<svg viewBox="0 0 24 24" class="icon" aria-hidden="true"><path d=${ICONS[kind]}></path></svg>`;
}

/** @param {string} kind */
export const iconPath = (kind) => ICONS[kind];

/** @param {string | null | undefined} colour @param {Colours} [colours] */
export const bodyHex = (colour, colours) => BODY_HEX[colours?.[colour ?? ""] ?? ""] ?? "#9aa0a8";

/** @param {string | null | undefined} colour @param {Colours} [colours] */
export const inkHex = (colour, colours) => (DARK_BODIES.has(colours?.[colour ?? ""] ?? "") ? "#ffffff" : "#17191c");

/**
 * The two as custom properties. Set through the CSSOM, since the page's policy forbids style attributes.
 * @param {string | null | undefined} colour
 * @param {Colours} [colours]
 */
export const paint = (colour, colours) => `--body: ${bodyHex(colour, colours)}; --ink: ${inkHex(colour, colours)}`;

/** Corners as an SVG polygon has them. @param {Point[]} pairs */
export const points = (pairs) => pairs.map((corner) => corner.join(",")).join(" ");

/**
 * Whether an element's content would change; remembers the new content.
 * @param {HTMLElement} place
 * @param {...unknown} shown
 */
export function isNews(place, ...shown) {
  const key = JSON.stringify(shown);
  if (place.dataset.shown === key) return false;
  place.dataset.shown = key;
  return true;
}
