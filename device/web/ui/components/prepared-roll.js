// @ts-check
// A prepared roll: skill, gear, helpers, difficulty; it shows at once which dice to pick up, and declares them.

import { ask } from "../lib/api.js";
import { element, isPhone } from "../lib/dom.js";
import { myName } from "../lib/player.js";
import { rollName, scaleOf } from "../lib/skill-roll.js";
import { language, t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { givenOf, tileFields } from "./fields.js";
import { oddsLines } from "./odds.js";
import { panel } from "./dialog.js";

/** @import { Tapped } from "../lib/skill-roll.js" */
/** @import { Answer, Book, RollRequest, Sheet, Snapshot, Value } from "../lib/types.js" */

// A phone's page and roll are its player's.
const isOwn = isPhone || globalThis.location?.pathname === "/me";

const MAX_ODDS = 3;

/**
 * @param {Book} book
 * @param {((from?: [Sheet, Tapped]) => void) | null} onAsk opens the window that asks a player for a roll; null: not here
 * @param {() => void} [onDeclared]
 */
export function preparePanel(book, onAsk, onDeclared = () => {}) {
  const self = panel("prepare", t("page.prepare.title"));
  /** @type {HTMLSelectElement} */
  const chooser = element(html`<select aria-label=${t("page.prepare.character")} @change=${choose}></select>`);
  /** @type {Record<string, Value>} */
  let tapped = {};
  /** @type {RollRequest | null} */
  let request = null;
  /** @type {Answer | null} */
  let answered = null;
  let looks = 0;
  let isBusy = false;
  /** @type {unknown} */
  let fields = nothing;
  /** What the fields were made for. */
  let made = "";

  function draw() {
    const { tiles, sheet } = book;
    const playing = book.own
      ? [sheet].filter((one) => one !== null)
      : book.sheets.sheets.filter((one) => one.system === tiles?.system);
    const body = answered?.ok ? answered.snapshot : null;
    /** @type {string[]} */
    const notes = [
      ...(body?.warnings ?? []).map((/** @type {{ text: string }} */ one) => one.text),
      ...(body?.price?.length ? [t("page.prepare.costs", { price: body.price.join(", ") })] : []),
    ];
    const take = body ? (body.take ?? body.reason_text ?? t("page.prepare.cannot")) : answered?.text;
    chooser.disabled = book.own !== null;
    render(
      html`<option value="">${t(playing.length ? "page.prepare.nobody" : "page.prepare.no_sheet")}</option>${playing.map((one) => html`<option value=${one.id}>${one.title}</option>`)}`,
      chooser,
    );
    chooser.value = String(sheet?.id ?? "");
    self.draw(
      html`<div class="who-row"><label class="field who"><span>${t("page.prepare.character")}</span>${chooser}</label>${onAsk ? html`<button type="button" class="tool" data-testid="ask-player" @click=${askPlayer}>${t("page.turn.ask")}</button>` : nothing}</div><div class="tiles">${fields}</div>`,
      html`<div class="panel-foot"><div class="answer">
          <p class="take" data-testid="take" role="status" data-kind=${answered === null ? nothing : body?.can_roll ? "good" : "open"}>${take}</p>
          <ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>
        </div>
        <dl class="odds-short">${oddsLines(body?.odds_rows ?? []).slice(0, MAX_ODDS)}</dl>
        <div class="foot-buttons">
          <button type="button" class="tool" @click=${clear}>${t("page.prepare.clear")}</button>
          <button type="button" class="button go" data-testid="declare" ?disabled=${isBusy || !body?.can_roll} @click=${declare}>${t("page.prepare.take")}</button>
        </div></div>`,
    );
  }

  /** @param {boolean} isFinal */
  function order(isFinal) {
    // A phone prepares for its own player; the display for the current player.
    const owner = isOwn ? myName() : (request?.owner ?? "");
    // A requested roll keeps its name; others are named by the chosen tiles.
    const label =
      isFinal && !(request?.label && (!owner || request.owner === owner)) ? rollName(book.tiles, tapped) : "";
    return {
      tiles: givenOf(tapped),
      sheet: book.sheet?.id ?? null,
      declare: isFinal,
      ...(owner ? { owner } : {}),
      ...(label ? { label } : {}),
    };
  }

  // Only the latest question's answer is shown.
  async function look() {
    looks += 1;
    const mine = looks;
    const title = (book.tiles?.tiles ?? []).find(
      ({ name, optional, unless, default: usual }) =>
        !optional && (tapped[name] ?? usual) === null && (tapped[unless ?? ""] ?? null) === null,
    )?.title;
    /** @type {Answer} */
    const answer = title
      ? { ok: false, text: t("page.prepare.missing", { tile: language === "en" ? title.toLowerCase() : title }) }
      : await ask("POST", "/api/prepare", order(false));
    if (mine !== looks) return;
    answered = answer;
    draw();
  }

  function renew() {
    const { tiles, sheet } = book;
    if (!self.isOpen) return;
    const now = JSON.stringify([tiles, sheet]);
    if (!tiles || now === made) return draw();
    made = now;
    const known = new Set((sheet?.counters ?? []).map((counter) => counter.name));
    for (const { name, kind, choices } of tiles.tiles) {
      const value = tapped[name];
      if (kind === "counter" && typeof value === "string" && !known.has(value) && !choices?.includes(value))
        delete tapped[name];
    }
    for (const name of Object.keys(tapped)) if (!tiles.tiles.some((tile) => tile.name === name)) delete tapped[name];
    // Fields keep their input, so a new drawing needs new ones.
    fields = nothing;
    draw();
    const scale = (/** @type {string} */ kind) => scaleOf(book.sheets, tiles.system, kind);
    fields = tileFields(tiles.tiles, tapped, { sheet, scaleOf: scale }, look);
    draw();
    look();
  }

  /** Begins with tiles. @param {Record<string, Value>} given */
  function begin(given) {
    tapped = { ...given };
    made = "";
    renew();
  }

  function askPlayer() {
    self.close();
    const tiles = givenOf(tapped);
    onAsk?.(book.sheet && Object.keys(tiles).length ? [book.sheet, tiles] : undefined);
  }
  function choose() {
    book.send("PUT", "/api/sheets/chosen", { sheet: chooser.value ? Number(chooser.value) : null });
  }
  function clear() {
    begin({});
  }
  async function declare() {
    isBusy = true;
    draw();
    // The price of a roll is paid by the sheet in use: a phone's own, if it has one.
    const own = book.own && book.sheet;
    if (own && own.id !== book.sheets.chosen) await book.send("PUT", "/api/sheets/chosen", { sheet: own.id });
    answered = await ask("POST", "/api/prepare", order(true));
    isBusy = false;
    draw();
    const isDeclared = answered.ok && answered.snapshot.declared;
    if (isDeclared) {
      self.close();
      onDeclared();
    }
    return isDeclared;
  }
  book.onNews(renew);

  return {
    /** @param {Snapshot | null} snapshot */
    open(snapshot) {
      request = snapshot?.asked ?? null;
      self.open();
      begin(snapshot?.prepared?.tiles ?? tapped);
    },
    /**
     * Declares what was tapped on a sheet. If it cannot be rolled, it is shown with the reason.
     * @param {Snapshot | null} snapshot
     * @param {Tapped} first
     */
    async roll(snapshot, first) {
      request = snapshot?.asked ?? null;
      tapped = { ...first };
      if (await declare()) return;
      self.open();
      begin(first);
    },
  };
}
