// @ts-check
// The consequences of a result for its character: applied to the sheet and undone with a tap.

import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { capital } from "../lib/words.js";
import { isMaster, myName, myRole, mySheets } from "../lib/player.js";
import { give } from "./whose.js";

/** @import { Book, Choice, Snapshot } from "../lib/types.js" */

/** With more sheets, one button asks whose roll it is. */
const MAX_KEYS = 4;

// A button that is disabled while its request is running.
/** @param {string} text @param {string} name @param {() => Promise<unknown>} onTap */
function key(text, name, onTap, more = "") {
  /** @param {{ currentTarget: HTMLButtonElement }} event */
  const tap = async ({ currentTarget: node }) => {
    node.disabled = true;
    await onTap();
    node.disabled = false;
  };
  return html`<button type="button" class="tool ${more}" data-testid=${name} @click=${tap}>${text}</button>`;
}

/** The sheets that may pay: on a player's phone that player's own. @param {Snapshot} snapshot */
function payersOf({ sheets = [], system }) {
  const playing = sheets.filter((one) => one.system === system);
  return myRole() === "player" ? playing.filter(({ id }) => mySheets().includes(id)) : playing;
}

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {Book} book
 * @param {() => unknown} onWhose asks whose roll it is
 */
export function renderCarry(strip, snapshot, book, onWhose) {
  const due = snapshot.consequences;
  strip.hidden = !due;
  if (!due) return;
  const payers = payersOf(snapshot);
  const ways = due.choices.filter(({ sheet }) => payers.some(({ id }) => id === sheet));
  const payer = payers.find(({ id }) => id === due.payer);
  const carriedTo = snapshot.sheets?.find((one) => one.id === due.sheet);
  const cost = capital(due.items.map(({ text }) => text).join(", ")) || t("page.carry.nothing");
  // A roll with a player has the button in the strip of the turn.
  const whose =
    !snapshot.asked && isMaster() ? key(t("page.whose.title"), "whose-carry", async () => onWhose()) : nothing;

  /** The roll becomes that player's, whose sheet pays. @param {Choice} way */
  async function take({ sheet, choice }) {
    const path = `/api/sheets/${sheet}/carry`;
    if (due?.payer === sheet) return book.sendSeen("POST", path, { choice });
    const owner = myRole() === "player" ? { owner: myName() } : {};
    const now = await give(snapshot.roll ?? 0, { ...owner, sheet });
    if (now && choice && !now.consequences?.carried) return book.send("POST", path, { choice });
  }
  const keys = ways.map((way) => key(way.text, "carry", () => take(way)));
  const none = key(t("page.carry.none"), "carry-none", () => book.sendSeen("POST", "/api/sheets/carry/none"));
  let line, buttons;
  if (due.carried) {
    line = html`<b>${cost}</b> ${t("page.carry.on", { sheet: carriedTo?.title ?? t("page.carry.the_sheet") })}${due.missed?.length ? html`<em> ${t("page.carry.missed", { names: due.missed.join(", ") })}</em>` : nothing}`;
    buttons = html`${whose}${due.can_undo ? key(t("page.undo"), "undo-carry", () => book.send("POST", `/api/sheets/${due.sheet}/undo`)) : nothing}`;
  } else if (payer) {
    const [way] = ways;
    const isOpen = ways.length > 1;
    line = html`<b>${isOpen ? due.effects.join(", ") || cost : way.text}</b>${due.unpaid?.length ? html`<em data-testid="unpaid"> ${t("page.carry.unpaid", { sheet: payer.title, names: due.unpaid.join(", ") })}</em>` : nothing}`;
    buttons = html`${whose}${isOpen ? keys : key(mySheets().includes(payer.id) ? t("page.carry.own") : t("page.carry.to", { sheet: payer.title }), "carry", () => take(way), "go")}`;
  } else if (due.payer !== null) {
    line = html`<b>${cost}</b>`;
    buttons = nothing;
  } else if (payers.length) {
    line = html`<b>${cost}</b> <span>${t("page.whose.title")}</span>`;
    buttons = html`${payers.length > MAX_KEYS ? whose : keys}${none}`;
  } else {
    line = html`<b>${cost}</b><span class="quiet"> ${t("page.carry.choose")}</span>`;
    buttons = html`<a class="tool link" href="/sheets">${t("page.table.sheets")}</a>`;
  }
  strip.dataset.carried = String(due.carried);
  render(html`<p class="strip-text">${line}</p><div class="strip-buttons">${buttons}</div>`, strip);
}
