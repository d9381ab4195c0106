// A window over the display: a title, what it holds, a foot that stays in view, and a way out.

import { html } from "../lib/drawing.js";
import { t } from "../lib/texts.js";

export function panel(id, title, ...inside) {
  const close = html("button", { type: "button", class: "tool panel-close" }, t("page.close"));
  const foot = html("div", { class: "panel-foot" });
  const heading = html("h2", { id: `${id}-title` }, title);
  const node = html("dialog", { id, class: "panel", "aria-labelledby": `${id}-title` }, html("div", { class: "panel-head" }, heading, close), html("div", { class: "panel-body" }, ...inside), foot);
  close.addEventListener("click", () => node.close());
  node.addEventListener("click", (event) => event.target === node && node.close());
  return {
    node,
    foot,
    heading,
    open() {
      if (!node.open) node.showModal();
    },
    close: () => node.close(),
    get isOpen() {
      return node.open;
    },
  };
}

// Asks before something is lost; true once the person has said so.
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const go = html("button", { type: "button", class: "button danger", "data-testid": "confirm" }, yes);
    const keep = html("button", { type: "button", class: "button" }, t("page.keep"));
    const node = html("dialog", { class: "panel small" }, html("p", { class: "question" }, question), html("div", { class: "foot-buttons" }, keep, go));
    let said = false;
    go.addEventListener("click", () => {
      said = true;
      node.close();
    });
    keep.addEventListener("click", () => node.close());
    node.addEventListener("close", () => {
      node.remove();
      resolve(said);
    });
    document.body.append(node);
    node.showModal();
  });
}
