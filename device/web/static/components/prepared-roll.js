// A roll tapped together: skill, gear, helpers, difficulty; it says at once which dice to take, and declares them.

import { ask } from "../lib/api.js";
import { html, isNews } from "../lib/drawing.js";
import { language, t } from "../lib/texts.js";
import { tileField } from "./fields.js";
import { oddsLines } from "./odds.js";
import { panel } from "./dialog.js";

const MOST_ODDS = 3;

export function preparePanel(book) {
  const fields = html("div", { class: "tiles" });
  const chooser = html("select", { "aria-label": t("page.prepare.character") });
  const take = html("p", { class: "take", "data-testid": "take", role: "status" });
  const notes = html("ul", { class: "notes" });
  const odds = html("dl", { class: "odds-short" });
  const go = html("button", { type: "button", class: "button go", "data-testid": "declare", disabled: true }, t("page.prepare.take"));
  const clear = html("button", { type: "button", class: "tool" }, t("page.prepare.clear"));
  const self = panel("prepare", t("page.prepare.title"), html("label", { class: "field who" }, html("span", {}, t("page.prepare.character")), chooser), fields);
  self.foot.append(html("div", { class: "answer" }, take, notes), odds, html("div", { class: "foot-buttons" }, clear, go));

  let tapped = {};
  let asked = 0;

  function show(answer) {
    const body = answer.ok ? answer.snapshot : null;
    take.textContent = body ? body.take ?? body.reason_text ?? t("page.prepare.cannot") : answer.text;
    take.dataset.kind = body?.can_roll ? "good" : "open";
    const lines = [...(body?.warnings ?? []).map(({ text }) => text), ...(body?.price?.length ? [t("page.prepare.costs", { price: body.price.join(", ") })] : [])];
    notes.replaceChildren(...lines.map((line) => html("li", {}, line)));
    odds.replaceChildren(...oddsLines(body?.odds ?? {}).slice(0, MOST_ODDS));
    go.disabled = !body?.can_roll;
  }

  function order(declare) {
    const tiles = Object.fromEntries(Object.entries(tapped).filter(([, value]) => value !== null));
    return { tiles, sheet: book.sheet?.id ?? null, declare };
  }

  // Only the latest question's answer is shown.
  async function look() {
    asked += 1;
    const mine = asked;
    const missing = (book.tiles?.tiles ?? []).find((tile) => !tile.optional && (tapped[tile.name] ?? tile.default) === null);
    if (missing) {
      show({ ok: false, text: t("page.prepare.missing", { tile: language === "en" ? missing.title.toLowerCase() : missing.title }) });
      return;
    }
    const answer = await ask("POST", "/api/prepare", order(false));
    if (mine === asked) show(answer);
  }

  function draw() {
    if (!self.isOpen || !book.tiles) return;
    const playing = book.sheets.sheets.filter((one) => one.system === book.tiles.system);
    if (isNews(chooser, playing.map((one) => [one.id, one.title]))) {
      chooser.replaceChildren(html("option", { value: "" }, t(playing.length ? "page.prepare.nobody" : "page.prepare.no_sheet")), ...playing.map((one) => html("option", { value: one.id }, one.title)));
    }
    chooser.value = book.sheet?.id ?? "";
    if (!isNews(fields, book.tiles, book.sheet)) return;
    const known = new Set((book.sheet?.counters ?? []).map((counter) => counter.name));
    for (const tile of book.tiles.tiles) {
      const value = tapped[tile.name];
      if (tile.kind === "counter" && typeof value === "string" && !known.has(value) && !tile.choices?.includes(value)) delete tapped[tile.name];
    }
    for (const name of Object.keys(tapped)) if (!book.tiles.tiles.some((tile) => tile.name === name)) delete tapped[name];
    const onChange = (name, value) => {
      tapped[name] = value;
      return look();
    };
    fields.replaceChildren(...book.tiles.tiles.map((tile) => tileField(tile, { sheet: book.sheet, value: tapped[tile.name] ?? null, onChange })));
    look();
  }

  function redraw() {
    delete fields.dataset.shown;
    draw();
  }

  chooser.addEventListener("change", () => book.wish("PUT", "/api/sheets/chosen", { sheet: chooser.value ? Number(chooser.value) : null }));
  clear.addEventListener("click", () => {
    tapped = {};
    redraw();
  });
  go.addEventListener("click", async () => {
    go.disabled = true;
    const answer = await ask("POST", "/api/prepare", order(true));
    show(answer);
    if (answer.ok && answer.snapshot.declared) self.close();
  });
  book.onNews(draw);

  return {
    node: self.node,
    open(snapshot) {
      if (snapshot?.prepared?.tiles) tapped = { ...snapshot.prepared.tiles };
      self.open();
      redraw();
    },
  };
}
