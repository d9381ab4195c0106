// @ts-check
// The dialog of the table: clocks, extended tests, questions to the rules.

import { askForms } from "./questions.js";
import { clocksPanel } from "./clocks.js";
import { panel } from "../../../ui/components/dialog.js";
import { seriesForms } from "./extended-tests.js";
import { tabList } from "../../../ui/components/tabs.js";
import { t } from "../../../ui/lib/texts.js";

/** @import { Book, Snapshot } from "../../../ui/lib/types.js" */

/** @param {Book} book */
export function tablePanel(book) {
  const clocks = clocksPanel(book);
  const series = seriesForms(book, () => self.close());
  const asks = askForms(book);
  /** @type {Record<string, HTMLElement>} */
  const pages = { clocks: clocks.node, series: series.node, asks: asks.node };
  const tabs = tabList(
    t("page.tab.table"),
    "tab",
    Object.keys(pages).map((name) => [name, t(`page.tab.${name}`)]),
    (name) => pages[name],
    turn,
  );
  const self = panel("table-panel", t("page.tab.table"), [tabs.node, ...Object.values(pages)]);

  /** @param {string} to */
  function turn(to) {
    for (const [name, page] of Object.entries(pages)) page.hidden = name !== to;
    tabs.show(to);
  }
  // What these rules lack has no tab.
  function draw() {
    series.draw();
    asks.draw();
    for (const name of /** @type {const} */ (["series", "asks"])) {
      const isLacking = !book.tiles?.[name]?.length;
      tabs.tab(name).hidden = isLacking;
      if (isLacking && !pages[name].hidden) turn("clocks");
    }
  }
  turn("clocks");
  draw();
  book.onNews(draw);

  return {
    /** @param {Snapshot} snapshot */
    update: (snapshot) => clocks.update(snapshot),
    open: () => self.open(),
  };
}
