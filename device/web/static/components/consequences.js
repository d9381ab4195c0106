// What a result costs its character: carried over to the sheet with one tap, and taken back with one.

import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { changeWords } from "../lib/words.js";

export function carryStrip(book) {
  const strip = html("section", { class: "strip carry", "aria-label": t("page.carry.title"), "data-testid": "carry-strip", hidden: true });
  let snapshot = {};

  function draw() {
    const due = snapshot.consequences;
    const listed = snapshot.sheets ?? [];
    const usable = listed.find((one) => one.id === snapshot.sheet && one.system === snapshot.system);
    const carriedTo = listed.find((one) => one.id === due?.sheet);
    strip.hidden = !due;
    if (!due || !isNews(strip, due, usable, carriedTo, snapshot.carry)) return;
    const what = due.items.map(changeWords).join(", ") || t("page.carry.nothing");
    const line = html("p", { class: "strip-text" }, html("b", {}, what));
    const buttons = html("div", { class: "strip-buttons" });
    if (due.carried) {
      line.append(` ${t("page.carry.on", { sheet: carriedTo?.title ?? t("page.carry.the_sheet") })}`, ...(due.missed?.length ? [html("em", {}, ` ${t("page.carry.missed", { names: due.missed.join(", ") })}`)] : []));
      if (due.can_undo) buttons.append(key(t("page.undo"), "undo-carry", () => book.wish("POST", `/api/sheets/${due.sheet}/undo`)));
    } else if (usable) {
      if (due.unpaid?.length) line.append(html("em", { "data-testid": "unpaid" }, ` ${t("page.carry.unpaid", { sheet: usable.title, names: due.unpaid.join(", ") })}`));
      buttons.append(key(t("page.carry.to", { sheet: usable.title }), "carry", () => book.wishSeen("POST", `/api/sheets/${usable.id}/carry`), "go"));
    } else {
      line.append(html("span", { class: "quiet" }, ` ${t("page.carry.choose")}`));
      buttons.append(html("a", { class: "tool link", href: "/sheets" }, t("page.table.sheets")));
    }
    strip.dataset.carried = String(due.carried);
    strip.replaceChildren(line, buttons);
  }

  function key(text, name, onTap, more = "") {
    const node = html("button", { type: "button", class: `tool ${more}`, "data-testid": name }, text);
    node.addEventListener("click", async () => {
      node.disabled = true;
      await onTap();
      node.disabled = false;
    });
    return node;
  }

  return {
    strip,
    update(latest) {
      snapshot = latest;
      draw();
    },
  };
}
