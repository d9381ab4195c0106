// @ts-check
// Questions to the rules apart from rolls: repairs, wounds, rests. The answer can be applied to the sheet.

import { ask } from "../../../ui/lib/api.js";
import { element } from "../../../ui/lib/dom.js";
import { isNews } from "../../../ui/lib/drawing.js";
import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { givenOf, tileFields, usualOf } from "../../../ui/components/fields.js";
import { plainWord } from "../../../ui/lib/words.js";

/** @import { AskKind, Book, Change, Json, Sheet } from "../../../ui/lib/types.js" */

/** The rules' answer as text. @param {Json} value @returns {string} */
export function valueWords(value) {
  if (value === true) return t("page.ask.yes");
  if (value === false) return t("page.ask.no");
  if (value === null) return "–";
  if (Array.isArray(value)) return value.length ? value.map(valueWords).join(", ") : t("page.ask.none");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, one]) => `${plainWord(name)} ${valueWords(one)}`)
      .join(", ");
  return plainWord(String(value));
}

/** @param {Book} book */
export function askForms(book) {
  const node = element(html`<div></div>`);
  /** @type {string | null} */
  let chosen = null;

  /** @param {AskKind} kind */
  function form({ op, fields }) {
    const given = usualOf(fields);
    const answerPlace = element(html`<div class="ask-answer" role="status" data-testid="ask-answer"></div>`);

    /** @param {boolean} carry */
    async function send(carry) {
      const sheet = book.sheet ? { sheet: book.sheet.id } : {};
      const answer = await ask("POST", "/api/ask", { op, context: givenOf(given), carry, ...sheet });
      const refusal = answer.text?.replace(/^context\./, "").replaceAll("_", " ");
      render(answer.ok ? answerOf(answer.snapshot) : html`<p class="refusal">${refusal}</p>`, answerPlace);
    }

    /** @param {{ answer: Record<string, Json>, consequences: Change[], carried: boolean, missed?: string[], sheet: Sheet }} told */
    function answerOf({ answer: facts, consequences, carried, missed, sheet }) {
      const rows = Object.entries(facts).map(
        ([name, value]) => html`<div><dt>${plainWord(name)}</dt><dd>${valueWords(value)}</dd></div>`,
      );
      const key = carried
        ? html`<button type="button" class="tool" data-testid="ask-undo" @click=${() => undo(sheet)}>${t("page.undo")}</button>`
        : book.sheet
          ? html`<button type="button" class="tool go" data-testid="ask-carry" @click=${() => send(true)}>${t("page.carry.to", { sheet: book.sheet.title })}</button>`
          : nothing;
      const strip = html`<div class="strip"><p class="strip-text"><b>${consequences.map(({ text }) => text).join(", ")}</b>${missed?.length ? html`<em> ${t("page.carry.missed", { names: missed.join(", ") })}</em>` : nothing}${carried ? ` ${t("page.carry.on", { sheet: sheet.title })}` : ""}</p>${key}</div>`;
      return html`<dl class="facts-list">${rows}</dl>${consequences.length ? strip : nothing}`;
    }

    /** Undoes the change while it is the sheet's latest. @param {Sheet} sheet */
    async function undo({ id, undo: mine }) {
      // Requested now: the cached list may not have the applied change yet.
      const now = await ask("GET", `/api/sheets/${id}`);
      if (now.ok && now.snapshot.undo !== mine) book.say(t("page.ask.changed"));
      else if (await book.send("POST", `/api/sheets/${id}/undo`)) send(false);
    }

    return html`<section class="form" data-form=${op}>
      <div class="tiles">${tileFields(fields, given)}</div>
      <button type="button" class="tool go" data-testid="ask" @click=${() => send(false)}>${t("page.ask.go")}</button>
      ${answerPlace}
    </section>`;
  }

  function draw() {
    const kinds = book.tiles?.asks ?? [];
    if (!kinds.some(({ op }) => op === chosen)) chosen = kinds[0]?.op ?? null;
    if (!isNews(node, book.tiles?.system, kinds, chosen)) return;
    const choose = (/** @type {string} */ op) => {
      chosen = op;
      draw();
    };
    const keys = kinds.map(
      ({ op, title }) =>
        html`<button type="button" class="key" data-ask=${op} aria-pressed=${op === chosen} @click=${() => choose(op)}>${title}</button>`,
    );
    // Fields keep their input, so fields of another question must be new ones.
    const forms = kinds.filter(({ op }) => op === chosen);
    render(
      html`<div class="keys-row" role="group" aria-label=${t("page.ask.what")}>${keys}</div><div class="forms">${repeat(forms, () => node.dataset.shown, form)}</div>`,
      node,
    );
  }

  return { node, draw };
}
