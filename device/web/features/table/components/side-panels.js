// @ts-check
// Panels next to the dice, each loaded when it has something to show: strips under the result, and the dialogs of
// prepared rolls and of the table.

import { renderCarry } from "../../../ui/components/consequences.js";
import { renderTurns } from "../../../ui/components/turns.js";
import { element, isPhone } from "../../../ui/lib/dom.js";
import { onDemand } from "../../../ui/lib/on-demand.js";
import { tableBook } from "../../../ui/lib/table-data.js";
import { t } from "../../../ui/lib/texts.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { renderClocks } from "./clocks-now.js";
import { mountBar } from "./phone-bar.js";
import { renderSeries } from "./running-test.js";

/** @import { Tapped } from "../../../ui/lib/skill-roll.js" */
/** @import { Say, Sheet, Snapshot } from "../../../ui/lib/types.js" */

/**
 * @param {HTMLElement} strips
 * @param {Say} say
 */
export function mountPanels(strips, say) {
  const book = tableBook(say);
  /** @type {Snapshot} */
  let snapshot;
  const turn = element(
    html`<section class="strip turn" aria-label=${t("page.turn.strip")} data-testid="turn-strip" hidden></section>`,
  );
  const series = element(
    html`<section class="strip series" aria-label=${t("page.series.strip")} data-testid="series-strip" hidden></section>`,
  );
  const typed = element(html`<section class="strip typed" aria-label=${t("page.typed.strip")} hidden></section>`);
  const carry = element(
    html`<section class="strip carry" aria-label=${t("page.carry.title")} data-testid="carry-strip" hidden></section>`,
  );
  const clocks = element(
    html`<section class="strip clocks-strip" aria-label=${t("page.clock.strip")} data-testid="clocks-strip" hidden></section>`,
  );
  strips.append(turn, series, typed, carry, clocks);

  const asking = onDemand(async () => (await import("../../../ui/components/ask-roll.js")).askPanel(book, draw));
  /** @param {[Sheet, Tapped]} [from] */
  const openAsk = (from) => asking.use((part) => part.open(snapshot, from?.[0].title, from));
  const whose = onDemand(async () => (await import("../../../ui/components/whose.js")).whosePanel(say));
  const openWhose = () =>
    whose.use((part) => part.open(snapshot.roll ?? 0, snapshot.system, snapshot.asked?.owner ?? null));
  const dice = onDemand(async () => (await import("./manual-dice.js")).typedDice(typed, book));
  const prepare = onDemand(async () =>
    (await import("../../../ui/components/prepared-roll.js")).preparePanel(book, openAsk),
  );
  const table = onDemand(async () => (await import("./table-panel.js")).tablePanel(book));

  const openTable = () =>
    table.use((part) => {
      if (snapshot) part.update(snapshot);
      part.open();
    });

  function draw() {
    renderSeries(series, snapshot, book);
    renderCarry(carry, snapshot, book, openWhose);
    const mayType = book.tiles?.system === snapshot.system && book.tiles?.typed_levels?.length;
    if (mayType || snapshot.typed_dice?.length || dice.now) dice.use((part) => part.update(snapshot));
    // A tray without a table has no requested rolls.
    if (snapshot.asked !== undefined) renderTurns(turn, snapshot, () => openAsk(), book, openWhose);
    renderClocks(clocks, snapshot, openTable);
    asking.now?.update(snapshot);
    table.now?.update(snapshot);
  }
  book.onNews(draw);
  if (isPhone) mountBar(book);

  return {
    /** @param {Snapshot} latest */
    update(latest) {
      snapshot = latest;
      book.update(latest);
      draw();
    },
    openPrepare: () => prepare.use((part) => part.open(snapshot)),
    openTable,
    /** @param {number} value */
    press: (value) => dice.now?.press(value),
  };
}
