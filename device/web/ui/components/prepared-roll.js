// @ts-check
// A prepared roll: skill, gear, helpers, difficulty; it shows at once which dice to pick up, and declares them.

import { ask } from "../lib/api.js";
import { element, isPhone } from "../lib/dom.js";
import { isNews } from "../lib/drawing.js";
import { myName } from "../lib/player.js";
import { rollName, scaleOf } from "../lib/skill-roll.js";
import { language, t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { givenOf, tileFields } from "./fields.js";
import { oddsLines } from "./odds.js";
import { panel } from "./dialog.js";

/** @import { Tapped } from "../lib/skill-roll.js" */
/** @import { Answer, AskedRoll, Book, Sheet, Snapshot, Value } from "../lib/types.js" */

// A phone's page and roll are its player's.
const isOwn = isPhone || globalThis.location?.pathname === "/me";

const MAX_ODDS = 3;

/**
 * @param {Book} book
 * @param {((from?: [Sheet, Tapped]) => void) | null} onAsk opens the window that asks a player for a roll; null: not here
 * @param {() => void} [onDeclared]
 */
export function preparePanel(book, onAsk, onDeclared = () => {}) {
  const fields = element(html`<div class="tiles"></div>`);
  /** @type {HTMLSelectElement} */
  const chooser = element(html`<select aria-label=${t("page.prepare.character")} @change=${choose}></select>`);
  const foot = element(html`<div class="panel-foot"></div>`);
  const self = panel(
    "prepare",
    t("page.prepare.title"),
    html`<div class="who-row"><label class="field who"><span>${t("page.prepare.character")}</span>${chooser}</label>${onAsk ? html`<button type="button" class="tool" data-testid="ask-player" @click=${askPlayer}>${t("page.turn.ask")}</button>` : nothing}</div>${fields}`,
    foot,
  );

  /** @type {Record<string, Value>} */
  let tapped = {};
  /** @type {AskedRoll | null} */
  let asked = null;
  let looks = 0;
  let mayGo = false;
  /** @type {Answer | null} */
  let answered = null;

  function drawFoot() {
    const body = answered?.ok ? answered.snapshot : null;
    /** @type {string[]} */
    const notes = [
      ...(body?.warnings ?? []).map((/** @type {{ text: string }} */ one) => one.text),
      ...(body?.price?.length ? [t("page.prepare.costs", { price: body.price.join(", ") })] : []),
    ];
    const take =
      answered === null ? "" : body ? (body.take ?? body.reason_text ?? t("page.prepare.cannot")) : answered.text;
    render(
      html`<div class="answer">
          <p class="take" data-testid="take" role="status" data-kind=${answered === null ? nothing : body?.can_roll ? "good" : "open"}>${take}</p>
          <ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>
        </div>
        <dl class="odds-short">${oddsLines(body?.odds_rows ?? []).slice(0, MAX_ODDS)}</dl>
        <div class="foot-buttons">
          <button type="button" class="tool" @click=${clear}>${t("page.prepare.clear")}</button>
          <button type="button" class="button go" data-testid="declare" ?disabled=${!mayGo} @click=${declare}>${t("page.prepare.take")}</button>
        </div>`,
      foot,
    );
  }

  /** @param {Answer} answer */
  function show(answer) {
    answered = answer;
    mayGo = answer.ok && answer.snapshot.can_roll;
    drawFoot();
  }

  /** @param {boolean} isFinal */
  function order(isFinal) {
    // A phone prepares for its own player; the display for the current player.
    const owner = isOwn ? myName() : (asked?.owner ?? "");
    // A requested roll keeps its name; others are named by the chosen tiles.
    const label = isFinal && !(asked?.label && (!owner || asked.owner === owner)) ? rollName(book.tiles, tapped) : "";
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
    const missing = (book.tiles?.tiles ?? []).find(
      ({ name, optional, unless, default: usual }) =>
        !optional && (tapped[name] ?? usual) === null && (tapped[unless ?? ""] ?? null) === null,
    );
    if (missing) {
      show({
        ok: false,
        text: t("page.prepare.missing", { tile: language === "en" ? missing.title.toLowerCase() : missing.title }),
      });
      return;
    }
    const answer = await ask("POST", "/api/prepare", order(false));
    if (mine === looks) show(answer);
  }

  function draw() {
    const { tiles, sheet } = book;
    if (!self.isOpen || !tiles) return;
    const playing = book.own
      ? [sheet].filter((one) => one !== null)
      : book.sheets.sheets.filter((one) => one.system === tiles.system);
    chooser.disabled = book.own !== null;
    render(
      html`<option value="">${t(playing.length ? "page.prepare.nobody" : "page.prepare.no_sheet")}</option>${playing.map((one) => html`<option value=${one.id}>${one.title}</option>`)}`,
      chooser,
    );
    chooser.value = String(sheet?.id ?? "");
    if (!isNews(fields, tiles, sheet)) return;
    const known = new Set((sheet?.counters ?? []).map((counter) => counter.name));
    for (const tile of tiles.tiles) {
      const value = tapped[tile.name];
      if (tile.kind === "counter" && typeof value === "string" && !known.has(value) && !tile.choices?.includes(value))
        delete tapped[tile.name];
    }
    for (const name of Object.keys(tapped)) if (!tiles.tiles.some((tile) => tile.name === name)) delete tapped[name];
    // Fields keep their input, so a new drawing needs new ones.
    render(nothing, fields);
    render(
      tileFields(
        tiles.tiles,
        tapped,
        { sheet, scaleOf: (/** @type {string} */ kind) => scaleOf(book.sheets, tiles.system, kind) },
        look,
      ),
      fields,
    );
    look();
  }

  function askPlayer() {
    self.close();
    const tiles = givenOf(tapped);
    onAsk?.(book.sheet && Object.keys(tiles).length ? [book.sheet, tiles] : undefined);
  }
  function redraw() {
    delete fields.dataset.shown;
    draw();
  }

  function choose() {
    book.send("PUT", "/api/sheets/chosen", { sheet: chooser.value ? Number(chooser.value) : null });
  }
  function clear() {
    tapped = {};
    redraw();
  }
  async function declare() {
    mayGo = false;
    drawFoot();
    // The price of a roll is paid by the sheet in use: a phone's own, if it has one.
    const own = book.own && book.sheet;
    if (own && own.id !== book.sheets.chosen) await book.send("PUT", "/api/sheets/chosen", { sheet: own.id });
    const answer = await ask("POST", "/api/prepare", order(true));
    show(answer);
    const isDeclared = answer.ok && answer.snapshot.declared;
    if (isDeclared) {
      self.close();
      onDeclared();
    }
    return isDeclared;
  }
  drawFoot();
  book.onNews(draw);
  document.body.append(self.node);

  return {
    /** @param {Snapshot | null} snapshot */
    open(snapshot) {
      asked = snapshot?.asked ?? null;
      if (snapshot?.prepared?.tiles) tapped = { ...snapshot.prepared.tiles };
      self.open();
      redraw();
    },
    /**
     * Declares what was tapped on a sheet. If it cannot be rolled, it is shown with the reason.
     * @param {Snapshot | null} snapshot
     * @param {Tapped} first
     */
    async roll(snapshot, first) {
      asked = snapshot?.asked ?? null;
      tapped = { ...first };
      if (await declare()) return;
      self.open();
      redraw();
    },
  };
}
