// @ts-check
// A player's phone wakes when its turn comes, whichever page is open: a strip, the tab's title, a tone, vibration, and a
// notification while the page is hidden. After the throw the strip has the result and what it costs.

import { element, isPhone } from "../lib/dom.js";
import { isMine } from "../lib/player.js";
import { soundBox } from "../lib/sounds.js";
import { tableBook } from "../lib/table-data.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { isWakeOn, mayNotify, removeNotices, showNotice } from "../lib/wake.js";
import { numberOf } from "../lib/words.js";
import { renderCarry } from "./consequences.js";
import { say } from "./page.js";
import { handOf, turnWords } from "./turns.js";

/** @import { Snapshot } from "../lib/types.js" */

const VIBRATION_MS = [200, 100, 200];

export function myTurn() {
  const book = tableBook(say);
  const box = soundBox();
  const strip = element(
    html`<section class="strip my-turn" aria-label=${t("page.turn.strip")} data-testid="my-turn" hidden></section>`,
  );
  const costs = element(html`<div class="carry" data-testid="my-costs" hidden></div>`);
  // The tray's own page has strips of its own.
  if (!isPhone) document.querySelector("main")?.before(strip);
  /** The request that this page woke for. @type {number | null | undefined} */
  let woken;
  /** @type {string | null} */
  let usualTitle = null;

  /** @param {string} words */
  function wake(words) {
    // Before the first touch browsers allow neither, and say so in their console.
    const { userActivation, vibrate } = /** @type {any} */ (navigator);
    if (!isWakeOn()) return;
    if (userActivation?.hasBeenActive ?? true) {
      box.play("turn", 1);
      vibrate?.call(navigator, VIBRATION_MS);
    }
    if (document.hidden && mayNotify()) showNotice(words);
  }

  /** @param {Snapshot} snapshot */
  function draw(snapshot) {
    const { asked: request, take = [], state, outcome, colours, display } = snapshot;
    const isDue = state === "empty" || state === "rolling";
    const words = isDue ? turnWords(snapshot) : outcome ? numberOf(outcome).join(" ") : display.title;
    renderCarry(costs, snapshot, book, () => {});
    render(
      html`<p class="strip-text" role="status"><b data-testid="my-turn-words">${words}</b>${isDue || !outcome ? nothing : html` ${display.title}`}</p>
        ${isDue && take.length ? handOf(take, colours) : nothing}${costs}
        <div class="strip-buttons"><a class="tool link ${isDue ? "go" : ""}" href="/phone">${t("page.turn.to_tray")}</a></div>`,
      strip,
    );
    strip.dataset.due = String(isDue);
    strip.hidden = !isMine(request);
  }

  return {
    /** Lets browsers play the tone later; called by the first touch. */
    unlock: () => (isWakeOn() ? box.allowed() : undefined),
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      const { asked: request, state } = snapshot;
      const isDue = isMine(request) && state === "empty";
      const before = woken;
      woken = isDue ? request?.id : state === "empty" ? null : (woken ?? null);
      const words = isDue ? turnWords(snapshot) : "";
      // What a page finds when it is opened is no news.
      if (isDue && before !== undefined && before !== woken) wake(words);
      if (!isDue && before) removeNotices();
      if (isDue) usualTitle ??= document.title;
      if (usualTitle !== null) document.title = isDue ? words : usualTitle;
      if (!isDue) usualTitle = null;
      if (!isPhone) draw(snapshot);
    },
  };
}
