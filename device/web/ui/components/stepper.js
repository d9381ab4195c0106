// @ts-check
// One number with a button on each side.

import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

const WIDE = 30;
const LEAP = 5;

/**
 * Calls onChange for each tap and counts on from the last requested value while responses are pending. With `open` it may
 * also be empty, below its minimum. A wide range has buttons for larger steps. With `onName` its name is a button. `name`
 * is what it is called without what stands around it, `words` writes the value.
 * @param {string} label
 * @param {number} low
 * @param {number} high
 * @param {(wanted: any) => unknown} onChange gets a number, or null with `open`
 */
export function stepper(
  label,
  low,
  high,
  onChange,
  {
    open = false,
    wide = high - low > WIDE,
    name = label,
    words = /** @type {(number: number) => unknown} */ (String),
    onName = /** @type {(() => unknown) | null} */ (null),
  } = {},
) {
  const node = element(html`<div class=${wide ? "stepper wide" : "stepper"} role="group" aria-label=${name}></div>`);
  /** @type {number | null} */
  let current = null;
  /** @type {unknown} */
  let notes = nothing;
  /** @type {number | null | undefined} */
  let wanted;
  let underWay = 0;
  const now = () => (wanted === undefined ? current : wanted);
  const shown = (/** @type {string} */ none) => (now() === null ? none : words(/** @type {number} */ (now())));

  function show() {
    const isLeast = open ? now() === null : (now() ?? 0) <= low;
    const isMost = (now() ?? low) >= high;
    /** @type {(by: number, sign: string, does: string) => unknown} */
    const key = (by, sign, does) =>
      html`<button type="button" class=${sign.length > 1 ? "step leap" : "step"} aria-label=${does} ?disabled=${by < 0 ? isLeast : isMost} @click=${() => step(by)}>${sign}</button>`;
    render(
      html`${onName ? html`<button type="button" class="step-label roll-key" data-roll=${label} @click=${onName}>${label}${notes}</button>` : html`<span class="step-label">${label}${notes}</span>`}${wide ? key(-LEAP, `−${LEAP}`, t("page.step.leap_less", { what: name, by: LEAP })) : nothing}${key(-1, "−", t("page.step.less", { what: name }))}<output class="step-value" aria-label="${name}: ${shown("–")}">${shown("")}</output>${key(1, "+", t("page.step.more", { what: name }))}${wide ? key(LEAP, `+${LEAP}`, t("page.step.leap_more", { what: name, by: LEAP })) : nothing}`,
      node,
    );
  }
  /** @param {number} by */
  async function step(by) {
    /** @param {number} number */
    const nearest = (number) => Math.min(high, Math.max(low, number));
    const next = (now() ?? (open ? nearest(0) - Math.sign(by) : 0)) + by;
    wanted = open && next < low ? null : nearest(next);
    underWay += 1;
    show();
    await onChange(wanted);
    underWay -= 1;
    if (underWay === 0) wanted = undefined;
    show();
  }
  show();
  return {
    node,
    /** @param {unknown} number @param {unknown} [note] small text next to the label */
    show(number, note = notes) {
      current = Number.isInteger(number) ? /** @type {number} */ (number) : null;
      notes = note;
      show();
    },
    get value() {
      return now() ?? 0;
    },
  };
}
