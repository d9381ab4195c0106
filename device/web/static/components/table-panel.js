// @ts-check
// The window for what the whole table shares: clocks, tests over several rolls, questions to the rules.

import { askForms } from "./questions.js";
import { clocksPanel } from "./clocks.js";
import { panel } from "./dialog.js";
import { seriesForms } from "./extended-tests.js";
import { tabList } from "./tabs.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";

/** @import { Book, Snapshot } from "../lib/types.js" */

/** @type {[name: "clocks" | "series" | "asks", text: string][]} */
const TABS = [["clocks", "Clocks"], ["series", "Tests"], ["asks", "Ask"]];

/** @param {Book} book */
export function tablePanel(book) {
  const clocks = clocksPanel(book);
  const series = seriesForms(book, () => self.close());
  const asks = askForms(book);
  /** @type {Record<string, HTMLElement>} */
  const pages = { clocks: clocks.node, series: series.node, asks: asks.node };
  const tabs = tabList("At the table", "tab", TABS, (name) => pages[name], turn);
  const links = html`<p class="panel-links"><a class="tool link" href="/sheets">Sheets</a><a class="tool link" href="/rulings">Rulings and roles</a></p>`;
  const self = panel("table-panel", "At the table", [tabs.node, ...Object.values(pages)], html`<div class="panel-foot">${links}</div>`);

  /** @param {string} to */
  function turn(to) {
    for (const [name, page] of Object.entries(pages)) page.hidden = name !== to;
    tabs.show(to);
  }
  function draw() {
    series.draw();
    asks.draw();
  }
  turn("clocks");
  draw();
  book.onNews(draw);
  document.body.append(self.node);

  return {
    /** @param {Snapshot} snapshot */
    update: (snapshot) => clocks.update(snapshot),
    open: () => self.open(),
  };
}
