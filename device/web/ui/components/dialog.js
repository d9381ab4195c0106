// @ts-check
// A dialog over the display: title, content, a foot that stays in view, and a close button.

import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @param {string} id @param {string} title @param {unknown} [body] @param {unknown} [end] of the class panel-foot */
export function panel(id, title, body, end) {
  /** @type {HTMLDialogElement} */
  const node = element(
    html`<dialog id=${id} class="panel" aria-labelledby="${id}-title" @click=${(/** @type {Event} */ { target }) => target === node && node.close()}></dialog>`,
  );
  /** @param {unknown} inside @param {unknown} [foot] */
  const draw = (inside, foot = nothing) =>
    render(
      html`<div class="panel-head"><h2 id="${id}-title">${title}</h2><button type="button" class="tool panel-close" @click=${() => node.close()}>${t("page.close")}</button></div>
        <div class="panel-body">${inside}</div>
        ${foot}`,
      node,
    );
  draw(body, end);
  document.body.append(node);
  return {
    node,
    draw,
    open: () => node.open || node.showModal(),
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
    const end = () => {
      node.remove();
      resolve(node.returnValue === "yes");
    };
    /** @type {HTMLDialogElement} */
    const node = element(html`<dialog class="panel small" @close=${end}>
      <p class="question">${question}</p>${shown}
      <div class="foot-buttons"><button type="button" class="button" @click=${() => node.close()}>${t("page.keep")}</button><button type="button" class="button ${kind}" data-testid="confirm" @click=${() => node.close("yes")}>${yes}</button></div>
    </dialog>`);
    document.body.append(node);
    node.showModal();
  });
}
