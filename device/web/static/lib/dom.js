// @ts-check
// Elements: the page's own by their ids, and those that a part makes for itself.

import { render } from "./vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "./vendor/lit-html/lit-html.js" */

/** A phone is somebody's own; the display on the table is not. */
export const isPhone = globalThis.location?.pathname === "/phone";

/**
 * What is typed or chosen in the field that an event comes from.
 * @param {Event} event
 */
export function valueOf(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;
}

/**
 * The page's element of that id, as the kind that it is.
 * @template {HTMLElement | SVGSVGElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind]
 * @returns {T}
 */
export function byId(id, kind) {
  const node = document.getElementById(id);
  if (!(node instanceof (kind ?? HTMLElement))) throw new TypeError(`#${id} is no ${kind?.name ?? "element"}`);
  return /** @type {T} */ (/** @type {Element} */ (node));
}

/**
 * The one element of a template, for parts that keep it and fill it themselves.
 * @template {Element} [T=HTMLElement]
 * @param {TemplateResult} template
 * @returns {T}
 */
export function element(template) {
  const place = document.createElement("div");
  render(template, place);
  return /** @type {T} */ (/** @type {Element} */ (place.firstElementChild));
}
