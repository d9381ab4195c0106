// @ts-check
// Parts give way in steps until nothing is cut; where the page scrolls, until the dice are above the buttons.

/** In order; then the dice become smaller. The style sheets define how. */
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
 * Returns a function to call after changes.
 * @param {HTMLElement} main
 * @param {HTMLElement} dice
 * @param {() => unknown} onReset called before anything is measured
 */
export function giveGround(main, dice, onReset) {
  const actions = /** @type {HTMLElement} */ (main.querySelector(".actions"));
  function fit() {
    const places = [main, ...main.querySelectorAll(".dice, .notices, .setup, #odds")];
    const isTight = () =>
      isFixed.matches
        ? places.some(isCut)
        : dice.offsetTop + dice.offsetHeight + actions.offsetHeight > document.documentElement.clientHeight;
    const [steps, least] = isFixed.matches ? [STEPS, MIN_PX] : [STEPS.slice(0, 1), MIN_TAPPED_PX];
    dice.style.removeProperty("--chip");
    main.dataset.ground = "";
    onReset();
    for (const step of steps) {
      if (!isTight()) return;
      main.dataset.ground += ` ${step}`;
    }
    const natural = parseFloat(getComputedStyle(dice).getPropertyValue("--chip"));
    for (let size = natural; size >= least && isTight(); size -= STEP_PX) dice.style.setProperty("--chip", `${size}px`);
  }
  const watch = new ResizeObserver(fit);
  for (const part of main.children) watch.observe(part);
  document.fonts.addEventListener("loadingdone", fit);
  return fit;
}
