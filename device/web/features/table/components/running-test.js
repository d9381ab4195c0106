// @ts-check
// The progress of the extended test.

import { t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Book, Snapshot } from "../../../ui/lib/types.js" */

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {Book} book
 */
export function renderSeries(strip, { series }, book) {
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
