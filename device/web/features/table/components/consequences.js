// @ts-check
// The consequences of a result for its character: applied to the sheet and undone with a tap.

import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { capital } from "../../../ui/lib/words.js";

/** @import { Book, Snapshot } from "../../../ui/lib/types.js" */

/**
 * A button that is disabled while its request is running.
 * @param {string} text
 * @param {string} name
 * @param {() => Promise<unknown>} onTap
 */
function key(text, name, onTap, more = "") {
  /** @param {{ currentTarget: HTMLButtonElement }} event */
  const tap = async ({ currentTarget: node }) => {
    node.disabled = true;
    await onTap();
    node.disabled = false;
  };
  return html`<button type="button" class="tool ${more}" data-testid=${name} @click=${tap}>${text}</button>`;
}

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {Book} book
 */
export function renderCarry(strip, snapshot, book) {
  const due = snapshot.consequences;
  strip.hidden = !due;
  if (!due) return;
  const listed = snapshot.sheets ?? [];
  const usable = listed.find((one) => one.id === due.payer && one.system === snapshot.system);
  const carriedTo = listed.find((one) => one.id === due.sheet);
  const what = html`<b>${capital(due.items.map(({ text }) => text).join(", ")) || t("page.carry.nothing")}</b>`;
  let line, buttons;
  if (due.carried) {
    line = html`${what} ${t("page.carry.on", { sheet: carriedTo?.title ?? t("page.carry.the_sheet") })}${due.missed?.length ? html`<em> ${t("page.carry.missed", { names: due.missed.join(", ") })}</em>` : nothing}`;
    buttons = due.can_undo
      ? key(t("page.undo"), "undo-carry", () => book.send("POST", `/api/sheets/${due.sheet}/undo`))
      : nothing;
  } else if (usable) {
    line = html`${what}${due.unpaid?.length ? html`<em data-testid="unpaid"> ${t("page.carry.unpaid", { sheet: usable.title, names: due.unpaid.join(", ") })}</em>` : nothing}`;
    buttons = key(
      t("page.carry.to", { sheet: usable.title }),
      "carry",
      () => book.sendSeen("POST", `/api/sheets/${usable.id}/carry`),
      "go",
    );
  } else {
    line = html`${what}<span class="quiet"> ${t("page.carry.choose")}</span>`;
    buttons = html`<a class="tool link" href="/sheets">${t("page.table.sheets")}</a>`;
  }
  strip.dataset.carried = String(due.carried);
  render(html`<p class="strip-text">${line}</p><div class="strip-buttons">${buttons}</div>`, strip);
}
