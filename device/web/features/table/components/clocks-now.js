// @ts-check
// The shared clocks in one line, on the display and on its idle screen.

import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { clockFace } from "./clock-face.js";

/** @import { Clock, Snapshot } from "../../../ui/lib/types.js" */

// The number that fits side by side on the narrowest display; the table's window has all of them.
const MAX_CLOCKS = 4;

/** @param {Clock} clock */
export function clockWords(clock) {
  return clock.filled >= clock.segments ? t("page.clock.full") : t("page.clock.filled", clock);
}

/**
 * The clocks to show, those waiting for another last, and the number of further ones.
 * @param {Clock[]} clocks
 * @returns {[shown: Clock[], more: number]}
 */
export function clocksShown(clocks) {
  const inTurn = [...clocks].sort((a, b) => Number(a.locked) - Number(b.locked));
  return [inTurn.slice(0, MAX_CLOCKS), Math.max(0, clocks.length - MAX_CLOCKS)];
}

/** @param {Clock[]} clocks */
export function clockList(clocks) {
  const [shown, more] = clocksShown(clocks);
  return html`<ul class="clocks-now">${repeat(
    shown,
    (clock) => clock.id,
    (clock) =>
      html`<li class=${clock.filled >= clock.segments ? "clock-now full" : "clock-now"} data-testid="clock-now" data-filled=${clock.filled}>${clockFace(clock)}<span class="clock-now-words"><b>${clock.name}</b> <small>${clockWords(clock)}</small></span></li>`,
  )}</ul>${more ? html`<span class="more-clocks">${t("page.clock.more_up", { count: more })}</span>` : nothing}`;
}

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {() => void} onOpen
 */
export function renderClocks(strip, snapshot, onOpen) {
  const clocks = snapshot.clocks?.clocks ?? [];
  strip.hidden = !clocks.length;
  render(
    clocks.length
      ? html`${clockList(clocks)}<button type="button" class="tool clocks-open" aria-haspopup="dialog" data-testid="open-clocks" @click=${onOpen}>${t("page.clock.change")}</button>`
      : nothing,
    strip,
  );
}
