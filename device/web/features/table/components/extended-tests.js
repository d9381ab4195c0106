// @ts-check
// Extended tests: start and progress.

import { element } from "../../../ui/lib/dom.js";
import { isNews } from "../../../ui/lib/drawing.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { givenOf, tileFields, usualOf } from "../../../ui/components/fields.js";

/** @import { Book, SeriesKind } from "../../../ui/lib/types.js" */

/** @param {Book} book @param {() => void} onBegun */
export function seriesForms(book, onBegun) {
  const node = element(html`<div class="forms"></div>`);

  /** @param {SeriesKind} kind */
  function form({ op, title, settings }) {
    const given = usualOf(settings);
    const begin = async () => {
      if (await book.send("PUT", "/api/series", { op, settings: givenOf(given) })) onBegun();
    };
    return html`<section class="form" data-form=${op}>
      <h3>${title}</h3>
      <div class="tiles">${tileFields(settings, given)}</div>
      <button type="button" class="tool go" data-series=${op} @click=${begin}>${t("page.series.begin")}</button>
    </section>`;
  }

  return {
    node,
    draw() {
      const kinds = book.tiles?.series ?? [];
      if (!isNews(node, book.tiles?.system, kinds)) return;
      // Fields keep their input, so fields of other rules must be new ones.
      render(nothing, node);
      render(kinds.map(form), node);
    },
  };
}
