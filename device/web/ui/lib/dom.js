// @ts-check
// Elements: the page's own by id, and those made by components.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";

/** @import { TemplateResult } from "./vendor/lit-html/lit-html.js" */

/** Whether this is a phone, which belongs to a player, and not the display. */
export const isPhone = globalThis.location?.pathname === "/phone";

/** The value of the field that an event comes from. @param {Event} event */
export const valueOf = (event) => /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;

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

/** A field for a text of up to 80 letters, which says itself what it is for. @returns {HTMLInputElement} */
export const textField = (label = "", placeholder = label, testId = "") =>
  element(
    html`<input type="text" maxlength="80" autocomplete="off" data-testid=${testId || nothing} placeholder=${placeholder} aria-label=${label}>`,
  );

/** The file that was picked; the field is empty again. @param {Event} event */
export function pickedFile({ target }) {
  const input = /** @type {HTMLInputElement} */ (target);
  const [file] = input.files ?? [];
  input.value = "";
  return file;
}
