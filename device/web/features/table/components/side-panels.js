// @ts-check
// Panels next to the dice, each loaded when it has something to show: strips under the result, and the dialogs of
// prepared rolls and of the table.

import { element, isPhone } from "../../../ui/lib/dom.js";
import { onDemand } from "../../../ui/lib/on-demand.js";
import { tableBook } from "../../../ui/lib/table-data.js";
import { t } from "../../../ui/lib/texts.js";
import { html } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { mountBar } from "./phone-bar.js";

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

  const turns = onDemand(() => import("../../../ui/components/turns.js"), say);
  const asking = onDemand(async () => (await import("../../../ui/components/ask-roll.js")).askPanel(book, draw), say);
  /** @param {[Sheet, Tapped]} [from] */
  const openAsk = (from) => asking.use((part) => part.open(snapshot, from?.[0].title, from));
  const whose = onDemand(async () => (await import("../../../ui/components/whose.js")).whosePanel(say), say);
  const openWhose = () =>
    whose.use((part) => part.open(snapshot.roll ?? 0, snapshot.system, snapshot.asked?.owner ?? null));
  const running = onDemand(() => import("./running-test.js"), say);
  const costs = onDemand(() => import("../../../ui/components/consequences.js"), say);
  const dice = onDemand(async () => (await import("./manual-dice.js")).typedDice(typed, book), say);
  const prepare = onDemand(
    async () => (await import("../../../ui/components/prepared-roll.js")).preparePanel(book, openAsk),
    say,
  );
  const clocksNow = onDemand(() => import("./clocks-now.js"), say);
  const table = onDemand(async () => (await import("./table-panel.js")).tablePanel(book), say);

  const openTable = () =>
    table.use((part) => {
      if (snapshot) part.update(snapshot);
      part.open();
    });

  // A strip that was shown once is kept up to date, so that it disappears with its content.
  function draw() {
    if (snapshot.series || running.now) running.use((part) => part.renderSeries(series, snapshot, book));
    if (snapshot.consequences || costs.now) costs.use((part) => part.renderCarry(carry, snapshot, book, openWhose));
    const mayType = book.tiles?.system === snapshot.system && book.tiles?.typed_levels?.length;
    if (mayType || snapshot.typed_dice?.length || dice.now) dice.use((part) => part.update(snapshot));
    // A tray without a table has no requested rolls.
    const isKnown = snapshot.asked !== undefined;
    if (
      (isKnown &&
        (isPhone ||
          snapshot.asked ||
          snapshot.asked_next?.length ||
          snapshot.unshown?.length ||
          snapshot.sheets?.length)) ||
      turns.now
    )
      turns.use((part) => part.renderTurns(turn, snapshot, () => openAsk(), book, openWhose));
    if (snapshot.clocks?.clocks.length || clocksNow.now)
      clocksNow.use((part) => part.renderClocks(clocks, snapshot, openTable));
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
