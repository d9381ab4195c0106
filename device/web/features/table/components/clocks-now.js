// @ts-check
// Shared clocks: drawn in segments, and in one line on the display and on its idle screen.

import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render, svg } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Clock, Snapshot } from "../../../ui/lib/types.js" */

const RADIUS = 44;
const GAP_RAD = 0.05;

/** The outline of one segment of a clock 100 wide. @param {number} index @param {number} count */
export function segmentPath(index, count) {
  const from = (index / count) * 2 * Math.PI - Math.PI / 2 + GAP_RAD / 2;
  const to = ((index + 1) / count) * 2 * Math.PI - Math.PI / 2 - GAP_RAD / 2;
  /** @type {(angle: number, radius: number) => string} */
  const spot = (angle, radius) =>
    `${(50 + radius * Math.cos(angle)).toFixed(2)} ${(50 + radius * Math.sin(angle)).toFixed(2)}`;
  return `M${spot((from + to) / 2, 2)} L${spot(from, RADIUS)} A${RADIUS} ${RADIUS} 0 0 1 ${spot(to, RADIUS)} Z`;
}

/** @param {Pick<Clock, "segments" | "filled">} clock */
export function clockFace(clock) {
  const segments = Array.from(
    { length: clock.segments },
    (_, index) =>
      svg`<path d=${segmentPath(index, clock.segments)} class=${index < clock.filled ? "segment full" : "segment"}></path>`,
  );
  return html`<svg viewBox="0 0 100 100" class="clock-face" aria-hidden="true">${segments}</svg>`;
}

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

/** @param {HTMLElement} strip @param {Snapshot} snapshot @param {() => void} onOpen */
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
