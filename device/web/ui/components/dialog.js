// @ts-check
// A dialog over the display: title, content, a foot that stays in view, and a close button.

import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";

/**
 * @param {string} id
 * @param {string} title
 * @param {unknown} inside
 * @param {unknown} foot of the class panel-foot
 */
export function panel(id, title, inside, foot) {
  /** @type {HTMLDialogElement} */
  const node =
    element(html`<dialog id=${id} class="panel" aria-labelledby="${id}-title" @click=${(/** @type {Event} */ event) => event.target === node && node.close()}>
    <div class="panel-head"><h2 id="${id}-title">${title}</h2><button type="button" class="tool panel-close" @click=${() => node.close()}>${t("page.close")}</button></div>
    <div class="panel-body">${inside}</div>
    ${foot}
  </dialog>`);
  return {
    node,
    open() {
      if (!node.open) node.showModal();
    },
    close: () => node.close(),
    get isOpen() {
      return node.open;
    },
  };
}

/**
 * Asks for confirmation; true once the person agrees.
 * @param {string} question
 * @param {string} yes
 * @param {"danger" | "go"} [kind]
 * @param {unknown} [shown] what the question is about
 * @returns {Promise<boolean>}
 */
export function confirmed(question, yes, kind = "danger", shown = nothing) {
  return new Promise((resolve) => {
    let said = false;
    const go = () => {
      said = true;
      node.close();
    };
    const end = () => {
      node.remove();
      resolve(said);
    };
    /** @type {HTMLDialogElement} */
    const node = element(html`<dialog class="panel small" @close=${end}>
      <p class="question">${question}</p>${shown}
      <div class="foot-buttons"><button type="button" class="button" @click=${() => node.close()}>${t("page.keep")}</button><button type="button" class="button ${kind}" data-testid="confirm" @click=${go}>${yes}</button></div>
    </dialog>`);
    document.body.append(node);
    node.showModal();
  });
}
