// @ts-check
// A shared clock, drawn in segments.

import { html, svg } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Clock } from "../../../ui/lib/types.js" */

const RADIUS = 44;
const GAP_RAD = 0.05;

/**
 * The outline of one segment of a clock 100 wide.
 * @param {number} index
 * @param {number} count
 */
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
