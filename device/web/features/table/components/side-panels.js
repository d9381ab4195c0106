// @ts-check
// Panels next to the dice, each loaded when it has something to show: strips under the result, and the dialogs of
// prepared rolls and of the table.

import { renderCarry } from "../../../ui/components/consequences.js";
import { say } from "../../../ui/components/page.js";
import { renderTurns } from "../../../ui/components/turns.js";
import { element, isPhone } from "../../../ui/lib/dom.js";
import { learnIdentity } from "../../../ui/lib/identity.js";
import { keepShell } from "../../../ui/lib/offline.js";
import { onDemand } from "../../../ui/lib/on-demand.js";
import { myRole, mySheets } from "../../../ui/lib/player.js";
import { tableBook } from "../../../ui/lib/table-data.js";
import { t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { renderClocks } from "./clocks-now.js";

/** @import { Tapped } from "../../../ui/lib/skill-roll.js" */
/** @import { Book, Sheet, Snapshot } from "../../../ui/lib/types.js" */

const AGAIN_MS = 15_000;

/** The progress of the extended test. @param {HTMLElement} strip @param {Snapshot} snapshot @param {Book} book */
function renderSeries(strip, { series }, book) {
  strip.hidden = !series;
  if (!series) return;
  // Planned rolls that are still to be made, to show how many are left.
  const left = Array.from({ length: Math.min(12, series.left ?? 0) });
  strip.dataset.ended = String(Boolean(series.ended));
  render(
    html`<p class="strip-text"><b>${series.title}. </b><span data-testid="series-text">${series.text}</span></p>
      <ol class="series-rolls" aria-label=${t("page.series.rolls")}>${series.rolls.map((one) => html`<li>${one.value}</li>`)}${left.map(() => html`<li class="open">·</li>`)}</ol>
      <div class="strip-buttons"><button type="button" class="tool" data-testid="end-series" @click=${() => book.send("DELETE", "/api/series")}>${t(series.ended ? "page.series.put_away" : "page.series.give_up")}</button></div>`,
    strip,
  );
}

/** A phone's identity: its player, and whether it is still paired. @param {Book} book */
function followIdentity(book) {
  document.body.dataset.phone = "";

  const own = () => (book.own = myRole() === "player" || mySheets().length ? mySheets() : null);

  async function learn() {
    const identity = await learnIdentity();
    // The URL may contain the PIN of the code on the display.
    if (identity?.role === "guest") return location.replace(`/me${location.hash}`);
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    own();
  }

  own();
  learn();
  keepShell();
  addEventListener("not-paired", learn);
  // The display may unpair the phone meanwhile, or make it the game master's.
  document.addEventListener("visibilitychange", () => document.hidden || learn());
  setInterval(() => document.hidden || myRole() === "table" || learn(), AGAIN_MS);
}

/** @param {HTMLElement} strips */
export function mountPanels(strips) {
  const book = tableBook(say);
  /** @type {Snapshot} */
  let snapshot;
  /** @type {(name: string, label: string, testId?: string) => HTMLElement} */
  const strip = (name, label, testId = `${name}-strip`) =>
    element(html`<section class="strip ${name}" aria-label=${t(label)} data-testid=${testId} hidden></section>`);
  const turn = strip("turn", "page.turn.strip");
  const series = strip("series", "page.series.strip");
  const typed = strip("typed", "page.typed.strip");
  const carry = strip("carry", "page.carry.title");
  const clocks = strip("clocks-strip", "page.clock.strip", "clocks-strip");
  strips.append(turn, series, typed, carry, clocks);

  const asking = onDemand(async () => (await import("../../../ui/components/ask-roll.js")).askPanel(book, draw));
  /** @param {[Sheet, Tapped]} [from] */
  const openAsk = (from) => asking.use((part) => part.open(snapshot, from?.[0].title, from));
  const whose = onDemand(async () => (await import("../../../ui/components/whose.js")).whosePanel());
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
  if (isPhone) followIdentity(book);

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
