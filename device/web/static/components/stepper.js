// One number with a button on either side.

import { html } from "../lib/drawing.js";
import { t } from "../lib/texts.js";

const WIDE = 30;
const LEAP = 5;

// Asks onWish for each tap. While answers are under way it counts on from what was last wished for. With `open` it may
// also stand at nothing, below its least number. A wide range has buttons for several at a time.
export function stepper(label, low, high, onWish, { open = false, wide = high - low > WIDE } = {}) {
  const value = html("output", { class: "step-value" }, "–");
  const less = html("button", { type: "button", class: "step", "aria-label": t("page.step.less", { what: label }) }, "−");
  const more = html("button", { type: "button", class: "step", "aria-label": t("page.step.more", { what: label }) }, "+");
  const leaps = wide ? [-LEAP, LEAP].map((by) => html("button", { type: "button", class: "step leap", "aria-label": t(by < 0 ? "page.step.leap_less" : "page.step.leap_more", { what: label, by: LEAP }) }, by < 0 ? `−${LEAP}` : `+${LEAP}`)) : [];
  const node = html("div", { class: wide ? "stepper wide" : "stepper", role: "group", "aria-label": label }, html("span", { class: "step-label" }, label), leaps[0] ?? "", less, value, more, leaps[1] ?? "");
  let told = null;
  let wished;
  let underWay = 0;
  const now = () => (wished === undefined ? told : wished);

  function show() {
    value.textContent = now() ?? "–";
    less.disabled = open ? now() === null : (now() ?? 0) <= low;
    more.disabled = (now() ?? low) >= high;
    if (wide) [leaps[0].disabled, leaps[1].disabled] = [less.disabled, more.disabled];
  }
  async function step(by) {
    const nearest = (number) => Math.min(high, Math.max(low, number));
    const next = (now() ?? (open ? nearest(0) - Math.sign(by) : 0)) + by;
    wished = open && next < low ? null : nearest(next);
    underWay += 1;
    show();
    await onWish(wished);
    underWay -= 1;
    if (underWay === 0) wished = undefined;
    show();
  }
  less.addEventListener("click", () => step(-1));
  more.addEventListener("click", () => step(1));
  leaps.forEach((key, index) => key.addEventListener("click", () => step(index ? LEAP : -LEAP)));
  show();
  return {
    node,
    tell(number) {
      told = Number.isInteger(number) ? number : null;
      show();
    },
    get value() {
      return now() ?? 0;
    },
  };
}
