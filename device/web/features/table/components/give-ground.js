// @ts-check
// If a screen is too small for the tray's content, parts give way in steps until nothing is cut.

/** What gives way, in order; after all of it the dice become smaller. The style sheets define how. */
const STEPS = ["captions", "history", "odds", "clocks", "picture"];
const MIN_PX = 28;
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
  function fit() {
    const places = [main, ...main.querySelectorAll(".dice, .notices, .setup, #odds")];
    main.dataset.ground = "";
    dice.style.removeProperty("--chip");
    if (!isFixed.matches) return;
    for (let count = 0; count <= STEPS.length; count += 1) {
      main.dataset.ground = STEPS.slice(0, count).join(" ");
      if (!places.some(isCut)) return;
    }
    const natural = parseFloat(getComputedStyle(dice).getPropertyValue("--chip"));
    for (let size = natural - STEP_PX; size >= MIN_PX; size -= STEP_PX) {
      dice.style.setProperty("--chip", `${size}px`);
      if (!places.some(isCut)) return;
    }
  }
  const watch = new ResizeObserver(fit);
  for (const part of main.children) watch.observe(part);
  document.fonts.addEventListener("loadingdone", fit);
  return fit;
}
