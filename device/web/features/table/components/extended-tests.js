// @ts-check
// Extended tests: start and progress.

import { element } from "../../../ui/lib/dom.js";
import { isNews } from "../../../ui/lib/drawing.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { tileField } from "../../../ui/components/fields.js";

/** @import { Book, SeriesKind, Value } from "../../../ui/lib/types.js" */

/**
 * @param {Book} book
 * @param {() => void} onBegun
 */
export function seriesForms(book, onBegun) {
  const node = element(html`<div class="forms"></div>`);

  /** @param {SeriesKind} kind */
  function form(kind) {
    /** @type {Record<string, Value>} */
    const settings = {};
    for (const tile of kind.settings) if (tile.default !== null) settings[tile.name] = tile.default;
    const begin = async () => {
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
      if (await book.send("PUT", "/api/series", { op: kind.op, settings: given })) onBegun();
    };
    /** @type {(name: string, value: Value) => void} */
    const onChange = (name, value) => {
      settings[name] = value;
    };
    return html`<section class="form" data-form=${kind.op}>
      <h3>${kind.title}</h3>
      <div class="tiles">${kind.settings.map((tile) => tileField(tile, { value: settings[tile.name] ?? null, onChange }))}</div>
      <button type="button" class="tool go" data-series=${kind.op} @click=${begin}>${t("page.series.begin")}</button>
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
