// What a table asks the rules beside rolls: repairs, wounds, rests. The answer stands below, and may go to the sheet.

import { ask } from "../lib/api.js";
import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { tileField } from "./fields.js";
import { changeWords, plainWord } from "../lib/words.js";

function valueWords(value) {
  if (value === true) return t("page.ask.yes");
  if (value === false) return t("page.ask.no");
  if (value === null) return "–";
  if (Array.isArray(value)) return value.length ? value.map(valueWords).join(", ") : t("page.ask.none");
  if (typeof value === "object") return Object.entries(value).map(([name, one]) => `${plainWord(name)} ${valueWords(one)}`).join(", ");
  return plainWord(value);
}

export function askForms(book) {
  const keys = html("div", { class: "keys-row", role: "group", "aria-label": t("page.ask.what") });
  const place = html("div", { class: "forms" });
  let chosen = null;

  function form(kind) {
    const given = {};
    for (const tile of kind.fields) if (tile.default !== null && tile.kind !== "flag") given[tile.name] = tile.default;
    const answerPlace = html("div", { class: "ask-answer", role: "status", "data-testid": "ask-answer" });
    const go = html("button", { type: "button", class: "tool go", "data-testid": "ask" }, t("page.ask.go"));

    async function send(carry) {
      const context = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
      const answer = await ask("POST", "/api/ask", { op: kind.op, context, carry, ...(book.sheet ? { sheet: book.sheet.id } : {}) });
      if (!answer.ok) {
        answerPlace.replaceChildren(html("p", { class: "refusal" }, answer.text.replace(/^context\./, "").replaceAll("_", " ")));
        return;
      }
      const { answer: facts, consequences, carried, missed, sheet } = answer.snapshot;
      const rows = Object.entries(facts).map(([name, value]) => html("div", {}, html("dt", {}, plainWord(name)), html("dd", {}, valueWords(value))));
      answerPlace.replaceChildren(html("dl", { class: "facts-list" }, ...rows));
      if (!consequences.length) return;
      const line = html("p", { class: "strip-text" }, html("b", {}, consequences.map(changeWords).join(", ")));
      if (missed?.length) line.append(html("em", {}, ` ${t("page.carry.missed", { names: missed.join(", ") })}`));
      const end = html("div", { class: "strip" }, line);
      if (carried) {
        line.append(` ${t("page.carry.on", { sheet: sheet.title })}`);
        end.append(undoKey(sheet));
      } else if (book.sheet) {
        const key = html("button", { type: "button", class: "tool go", "data-testid": "ask-carry" }, t("page.carry.to", { sheet: book.sheet.title }));
        key.addEventListener("click", () => send(true));
        end.append(key);
      }
      answerPlace.append(end);
    }
    // Takes the change back while it is still the sheet's latest one.
    function undoKey({ id, undo }) {
      const key = html("button", { type: "button", class: "tool", "data-testid": "ask-undo" }, t("page.undo"));
      key.addEventListener("click", async () => {
        // Asked now: the book's own list may not have heard yet of what was carried.
        const now = await ask("GET", `/api/sheets/${id}`);
        if (now.ok && now.snapshot.undo !== undo) book.say(t("page.ask.changed"));
        else if (await book.wish("POST", `/api/sheets/${id}/undo`)) send(false);
      });
      return key;
    }
    go.addEventListener("click", () => send(false));
    const onChange = (name, value) => {
      given[name] = value;
    };
    return html("section", { class: "form", "data-form": kind.op }, html("div", { class: "tiles" }, ...kind.fields.map((tile) => tileField(tile, { value: given[tile.name] ?? null, onChange }))), go, answerPlace);
  }

  function draw() {
    const kinds = book.tiles?.asks ?? [];
    if (!kinds.some((kind) => kind.op === chosen)) chosen = kinds[0]?.op ?? null;
    if (!isNews(place, book.tiles?.system, kinds, chosen)) return;
    keys.replaceChildren(
      ...kinds.map((kind) => {
        const key = html("button", { type: "button", class: "key", "data-ask": kind.op, "aria-pressed": String(kind.op === chosen) }, kind.title);
        key.addEventListener("click", () => {
          chosen = kind.op;
          draw();
        });
        return key;
      }),
    );
    const kind = kinds.find((one) => one.op === chosen);
    place.replaceChildren(kind ? form(kind) : html("p", { class: "quiet" }, t("page.ask.nothing")));
  }

  return { node: html("div", {}, keys, place), draw };
}
