// @ts-check
// Tabs: arrow keys move between them, and only the selected one is in the tab order.

import { element } from "../lib/dom.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/**
 * Tabs are [name, text]; each shows the part from panelOf(name). Tapping one calls onTurn with its name.
 * @param {string} label
 * @param {string} word
 * @param {[name: string, text: string][]} entries
 * @param {(name: string) => HTMLElement} panelOf
 * @param {(name: string) => void} onTurn
 */
export function tabList(label, word, entries, panelOf, onTurn) {
  const tabs = entries.map(([name, text]) => {
    const tab = element(
      html`<button type="button" class="key" role="tab" id="${word}-${name}" @click=${() => onTurn(name)}>${text}</button>`,
    );
    tab.dataset[word] = name;
    return tab;
  });
  const node = element(
    html`<div class="keys-row tabs" role="tablist" aria-label=${label} @keydown=${turn}>${tabs}</div>`,
  );

  /** @param {KeyboardEvent} event */
  function turn(event) {
    const shown = tabs.filter((tab) => !tab.hidden);
    const from = shown.findIndex((tab) => tab === event.target);
    if (from < 0 || !(event.key in STEPS)) return;
    event.preventDefault();
    const next = shown[(from + STEPS[event.key] + shown.length) % shown.length];
    next.focus();
    next.click();
  }
  return {
    node,
    /** @param {string} name */
    tab: (name) => tabs[entries.findIndex(([one]) => one === name)],
    /** @param {string} name */
    show(name) {
      entries.forEach(([one], index) => {
        const panel = panelOf(one);
        panel.setAttribute("role", "tabpanel");
        panel.id ||= `${word}-panel-${one}`;
        tabs[index].setAttribute("aria-controls", panel.id);
        tabs[index].setAttribute("aria-selected", String(one === name));
        tabs[index].tabIndex = one === name ? 0 : -1;
        if (one === name) panel.setAttribute("aria-labelledby", tabs[index].id);
      });
    },
  };
}
