// Tests that run over several rolls: begun here, and where they stand while they run.

import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { tileField } from "./fields.js";

export function seriesStrip(book) {
  const strip = html("section", { class: "strip series", "aria-label": t("page.series.strip"), "data-testid": "series-strip", hidden: true });

  return {
    strip,
    update(snapshot) {
      const { series } = snapshot;
      strip.hidden = !series;
      if (!series || !isNews(strip, series)) return;
      const end = html("button", { type: "button", class: "tool", "data-testid": "end-series" }, t(series.ended ? "page.series.put_away" : "page.series.give_up"));
      end.addEventListener("click", () => book.wish("DELETE", "/api/series"));
      const rolls = html("ol", { class: "series-rolls", "aria-label": t("page.series.rolls") }, ...series.rolls.map((one) => html("li", {}, String(one.value))));
      // Rolls that are agreed upon but not made yet, so that one sees how many are left.
      const left = Math.min(12, series.left ?? 0);
      rolls.append(...Array.from({ length: left }, () => html("li", { class: "open" }, "·")));
      strip.dataset.ended = String(Boolean(series.ended));
      strip.replaceChildren(html("p", { class: "strip-text" }, html("b", {}, `${series.title}. `), html("span", { "data-testid": "series-text" }, series.text)), rolls, html("div", { class: "strip-buttons" }, end));
    },
  };
}

export function seriesForms(book, onBegun) {
  const place = html("div", { class: "forms" });

  function form(kind) {
    const settings = {};
    for (const tile of kind.settings) if (tile.default !== null) settings[tile.name] = tile.default;
    const begin = html("button", { type: "button", class: "tool go", "data-series": kind.op }, t("page.series.begin"));
    begin.addEventListener("click", async () => {
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
      if (await book.wish("PUT", "/api/series", { op: kind.op, settings: given })) onBegun();
    });
    const onChange = (name, value) => {
      settings[name] = value;
    };
    return html("section", { class: "form", "data-form": kind.op }, html("h3", {}, kind.title), html("div", { class: "tiles" }, ...kind.settings.map((tile) => tileField(tile, { value: settings[tile.name] ?? null, onChange }))), begin);
  }

  return {
    node: place,
    draw() {
      const kinds = book.tiles?.series ?? [];
      if (!isNews(place, book.tiles?.system, kinds)) return;
      place.replaceChildren(...(kinds.length ? kinds.map(form) : [html("p", { class: "quiet" }, t("page.series.none"))]));
    },
  };
}
