// @ts-check
// Elements: the page's own by id, and those made by components.

import { render } from "./vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "./vendor/lit-html/lit-html.js" */

/** Whether this is a phone, which belongs to a player, and not the display. */
export const isPhone = globalThis.location?.pathname === "/phone";

/**
 * The value of the field that an event comes from.
 * @param {Event} event
 */
export function valueOf(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;
}

/**
 * The page's element with that id, typed.
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
 * The only element of a template, for components that keep it and fill it.
 * @template {Element} [T=HTMLElement]
 * @param {TemplateResult} template
 * @returns {T}
 */
export function element(template) {
  const place = document.createElement("div");
  render(template, place);
  return /** @type {T} */ (/** @type {Element} */ (place.firstElementChild));
}
