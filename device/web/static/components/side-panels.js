// Everything on the display beside the dice: prepared rolls, dice to tap in, costs, tests over several rolls, clocks.

import { askForms } from "./questions.js";
import { tableBook } from "../lib/table-data.js";
import { carryStrip } from "./consequences.js";
import { clocksPanel } from "./clocks.js";
import { html } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { panel } from "./dialog.js";
import { seriesForms, seriesStrip } from "./extended-tests.js";
import { tabList } from "./tabs.js";
import { preparePanel } from "./prepared-roll.js";
import { typedDice } from "./manual-dice.js";

const TABS = ["clocks", "series", "asks"].map((name) => [name, t(`page.tab.${name}`)]);

export function mountPanels(strips, say) {
  const book = tableBook(say);
  const prepare = preparePanel(book);
  const typed = typedDice(book);
  const carry = carryStrip(book);
  const series = seriesStrip(book);
  const clocks = clocksPanel(book);
  const table = panel("table-panel", t("page.tab.table"));
  const forms = { series: seriesForms(book, () => table.close()), asks: askForms(book) };
  const pages = { clocks: clocks.node, series: forms.series.node, asks: forms.asks.node };
  const tabs = tabList(t("page.tab.table"), "tab", TABS, (name) => pages[name], turn);
  const body = table.node.querySelector(".panel-body");
  body.append(tabs.node, ...TABS.map(([name]) => pages[name]));
  table.foot.append(html("p", { class: "panel-links" }, html("a", { class: "tool link", href: "/sheets" }, t("page.table.sheets")), html("a", { class: "tool link", href: "/rulings" }, t("page.rulings_and_roles"))));

  function turn(to) {
    for (const [name] of TABS) pages[name].hidden = name !== to;
    tabs.show(to);
  }
  turn("clocks");

  let snapshot = null;
  book.onNews(() => Object.values(forms).forEach((one) => one.draw()));
  strips.append(series.strip, typed.strip, carry.strip);
  document.body.append(prepare.node, table.node, typed.dialog);

  return {
    update(latest) {
      snapshot = latest;
      book.update(latest);
      for (const one of [series, typed, carry, clocks]) one.update(latest);
    },
    openPrepare: () => prepare.open(snapshot),
    openTable: () => table.open(),
    press: (value) => typed.press(value),
  };
}
