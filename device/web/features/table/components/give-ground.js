// @ts-check
// Parts give way in steps until nothing is cut; where the page scrolls, until the dice are above the buttons.

/** What gives way, in order; after all of it the dice become smaller. The style sheets define how. */
const STEPS = ["captions", "history", "odds", "clocks", "picture"];
const MIN_PX = 28;
const MIN_TAPPED_PX = 44;
const STEP_PX = 4;
const isFixed = matchMedia("(min-width: 620px) and (min-height: 431px)");

/**
 * A list of odds may scroll, but its lines must be whole.
 * @param {Element} node
 */
const isCut = (node) =>
  (node.id !== "odds" && node.scrollHeight > node.clientHeight + 1) || node.scrollWidth > node.clientWidth + 1;

/**
 * Keeps a page without scrolling from being cut; returns a function to call after changes.
 * @param {HTMLElement} main
 * @param {HTMLElement} dice
 */
export function giveGround(main, dice) {
  const actions = /** @type {HTMLElement} */ (main.querySelector(".actions"));
  function fit() {
    const places = [main, ...main.querySelectorAll(".dice, .notices, .setup, #odds")];
    const isTight = () =>
      isFixed.matches
        ? places.some(isCut)
        : dice.offsetTop + dice.offsetHeight + actions.offsetHeight > document.documentElement.clientHeight;
    const steps = isFixed.matches ? STEPS : STEPS.slice(0, 1);
    dice.style.removeProperty("--chip");
    for (let count = 0; count <= steps.length; count += 1) {
      main.dataset.ground = steps.slice(0, count).join(" ");
      if (!isTight()) return;
    }
    const natural = parseFloat(getComputedStyle(dice).getPropertyValue("--chip"));
    for (let size = natural - STEP_PX; size >= (isFixed.matches ? MIN_PX : MIN_TAPPED_PX); size -= STEP_PX) {
      dice.style.setProperty("--chip", `${size}px`);
      if (!isTight()) return;
    }
  }
  const watch = new ResizeObserver(fit);
  for (const part of main.children) watch.observe(part);
  document.fonts.addEventListener("loadingdone", fit);
  return fit;
}
