// @ts-check
// The way through the first start: which steps there are, which are behind, which is next. What the tray knows counts
// wherever it was done; what was left out, or done without a trace, this browser remembers, so that one goes on where one was.

/** @typedef {"system" | "colours" | "light" | "calibrate" | "roll"} Step */
/** @typedef {"done" | "skipped" | "open"} Mark */
/** @typedef {{ marks: Partial<Record<Step, Mark>>, at: Step | null }} Memory */

/** @type {Step[]} */
export const STEPS = ["system", "colours", "light", "calibrate", "roll"];
const KEY = "pushtray-start";

/** @returns {Memory} what this browser remembers; nothing where it may not */
export function remembered() {
  try {
    const said = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const marks = Object.fromEntries(STEPS.filter((step) => ["done", "skipped"].includes(said.marks?.[step])).map((step) => [step, said.marks[step]]));
    return { marks, at: STEPS.includes(said.at) ? said.at : null };
  } catch {
    return { marks: {}, at: null };
  }
}

/** @param {Memory} memory */
export function remember(memory) {
  try {
    localStorage.setItem(KEY, JSON.stringify(memory));
  } catch {
    // Storage is off: the way is kept until the page is closed.
  }
}

/**
 * How each step stands. A calibrated tray and a roll in its log are done wherever they came from.
 * @param {Memory} memory
 * @param {{ isCalibrated: boolean, hasRolled: boolean }} tray
 * @returns {Record<Step, Mark>}
 */
export function marksOf({ marks }, { isCalibrated, hasRolled }) {
  return {
    system: marks.system ?? "open",
    colours: marks.colours ?? "open",
    light: marks.light ?? "open",
    calibrate: isCalibrated ? "done" : marks.calibrate ?? "open",
    roll: hasRolled ? "done" : marks.roll ?? "open",
  };
}

/**
 * Where somebody who comes back goes on: where he was, else at the first step that is open; null once none is.
 * @param {Memory} memory
 * @param {Record<Step, Mark>} marks
 * @returns {Step | null}
 */
export function stepToShow({ at }, marks) {
  if (at && marks[at] === "open") return at;
  return STEPS.find((step) => marks[step] === "open") ?? null;
}

/**
 * The memory after a step was done or left out: the next open step behind it, else any that is open, is where one is.
 * @param {Memory} memory
 * @param {Step} step
 * @param {Mark} mark
 * @returns {Memory}
 */
export function after({ marks }, step, mark) {
  const rest = [...STEPS.slice(STEPS.indexOf(step) + 1), ...STEPS];
  const now = { ...marks, [step]: mark };
  return { marks: now, at: rest.find((one) => (now[one] ?? "open") === "open") ?? null };
}

/**
 * How light and place are, as the checks of the calibration tell them: the worst of them.
 * @param {{ verdict: string }[]} checks
 * @returns {"ok" | "warn" | "fail"}
 */
export function worstOf(checks) {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  return checks.some((check) => check.verdict === "warn") ? "warn" : "ok";
}
