// @ts-check
// Parts give way in steps until nothing is cut; where the page scrolls, until the dice are above the buttons.

/** In order, then the picture: a die fits a thumb for as long as that can become smaller. The style sheets define how. */
const STEPS = ["captions", "history", "odds", "clocks"];
const MIN_PX = 28;
const MIN_TAPPED_PX = 44;
const THUMB_PX = 56;
const STEP_PX = 4;
const isFixed = matchMedia("(min-width: 620px) and (min-height: 431px)");

/** A list of odds may scroll, but its lines must be whole. @param {Element} node */
const isCut = (node) =>
  (node.id !== "odds" && node.scrollHeight > node.clientHeight + 1) || node.scrollWidth > node.clientWidth + 1;

/**
 * Returns a function to call after changes.
 * @param {HTMLElement} main
 * @param {HTMLElement} dice
 * @param {() => unknown} onReset called where there is more room than before
 */
export function giveGround(main, dice, onReset) {
  const actions = /** @type {HTMLElement} */ (main.querySelector(".actions"));
  const ends = [dice, /** @type {HTMLElement} */ (main.querySelector(".setup"))];
  function fit() {
    const places = [main, ...main.querySelectorAll(".dice, .notices, .setup, #odds")];
    const isTight = () =>
      isFixed.matches
        ? places.some(isCut)
        : ends.some((node) => node.offsetTop + node.offsetHeight > innerHeight - actions.offsetHeight);
    const natural = () => parseFloat(getComputedStyle(dice).getPropertyValue("--chip"));
    const shrink = (/** @type {number} */ least) => {
      dice.style.removeProperty("--chip");
      for (let size = natural(); size >= least && isTight(); size -= STEP_PX)
        dice.style.setProperty("--chip", `${size}px`);
    };
    dice.style.removeProperty("--chip");
    main.dataset.ground = "";
    onReset();
    for (const step of isFixed.matches ? STEPS : STEPS.slice(0, 1)) {
      if (!isTight()) return;
      main.dataset.ground += ` ${step}`;
    }
    shrink(THUMB_PX);
    if (!isTight()) return;
    main.dataset.ground += " picture";
    onReset();
    shrink(isFixed.matches ? MIN_PX : MIN_TAPPED_PX);
  }
  const watch = new ResizeObserver(fit);
  for (const part of main.children) watch.observe(part);
  document.fonts.addEventListener("loadingdone", fit);
  return fit;
}
