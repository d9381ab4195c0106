// @ts-check
// The steps from an empty box to a good reading: which there are, which are done, which is next. The tray's own state
// counts first; this browser remembers skipped steps and those without a trace, so that one can resume.

import { keep, kept } from "./kept.js";

/** @import { Die, HistoryRow } from "./types.js" */
/** @typedef {"system" | "colours" | "camera" | "view" | "focus" | "light" | "ring" | "relight" | "lamps" | "buttons" | "calibrate" | "roll"} Step */
/** @typedef {"done" | "skipped" | "open"} Mark */
/** @typedef {{ marks: Partial<Record<Step, Mark>>, at: Step | null }} Memory */

/** @type {Step[]} */
export const STEPS = [
  "system",
  "colours",
  "camera",
  "view",
  "focus",
  "light",
  "ring",
  "relight",
  "lamps",
  "buttons",
  "calibrate",
  "roll",
];
/** Number of rolls to judge how well the tray reads. */
export const ENOUGH_ROLLS = 20;
/** What only a tray with a ring, or with a panel, has. @type {Partial<Record<Step, "ring" | "panel">>} */
const NEEDS = { ring: "ring", relight: "ring", lamps: "panel", buttons: "panel" };
const KEY = "pushtray-start";

/**
 * The steps of this tray; a first-weekend build has neither ring nor panel.
 * @param {{ ring: boolean, panel: boolean }} parts
 */
export const stepsOf = (parts) => STEPS.filter((step) => parts[NEEDS[step] ?? "ring"] || !(step in NEEDS));

/** @returns {Memory} what this browser remembers; nothing where it may not */
export function remembered() {
  try {
    const stored = JSON.parse(kept(KEY) ?? "{}");
    const marks = Object.fromEntries(
      STEPS.filter((step) => ["done", "skipped"].includes(stored.marks?.[step])).map((step) => [
        step,
        stored.marks[step],
      ]),
    );
    return { marks, at: STEPS.includes(stored.at) ? stored.at : null };
  } catch {
    return { marks: {}, at: null };
  }
}

/** @param {Memory} memory */
export const remember = (memory) => keep(KEY, JSON.stringify(memory));

/**
 * The status of each step. A calibrated tray and enough logged rolls count wherever they came from; a calibration that was
 * skipped stays so until there is one.
 * @param {Memory} memory
 * @param {{ isCalibrated: boolean, rolls: number }} tray
 * @returns {Record<Step, Mark>}
 */
export function marksOf({ marks }, { isCalibrated, rolls }) {
  const known = /** @type {Memory["marks"]} */ ({
    ...(isCalibrated ? { calibrate: "done" } : {}),
    ...marks,
    ...(rolls >= ENOUGH_ROLLS ? { roll: "done" } : {}),
  });
  return /** @type {Record<Step, Mark>} */ (Object.fromEntries(STEPS.map((step) => [step, known[step] ?? "open"])));
}

/**
 * The step to resume: the last one, else the first open one; null if none is open.
 * @param {Memory} memory
 * @param {Record<Step, Mark>} marks
 * @param {Step[]} [steps]
 * @returns {Step | null}
 */
export function stepToShow({ at }, marks, steps = STEPS) {
  if (at && steps.includes(at) && marks[at] === "open") return at;
  return steps.find((step) => marks[step] === "open") ?? null;
}

/**
 * The memory after a step was done or skipped: the next open step follows, else any open one.
 * @param {Memory} memory
 * @param {Step} step
 * @param {Mark} mark
 * @param {Step[]} [steps]
 * @returns {Memory}
 */
export function after({ marks }, step, mark, steps = STEPS) {
  const rest = [...steps.slice(steps.indexOf(step) + 1), ...steps];
  const now = { ...marks, [step]: mark };
  return { marks: now, at: rest.find((one) => (now[one] ?? "open") === "open") ?? null };
}

/** The worst of the calibration's checks. @param {{ verdict: string }[]} checks @returns {"ok" | "warn" | "fail"} */
export function worstOf(checks) {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  return checks.some((check) => check.verdict === "warn") ? "warn" : "ok";
}

/**
 * How the newest rolls were read: right without help, right after the tray asked about a die, or wrong until a person
 * corrected it, dice that were missed or taken for one included.
 * @param {HistoryRow[]} rows newest first
 */
export function readings(rows) {
  /** @type {Map<number, { id: number, roll: number, dice: Die[], how: "right" | "doubted" | "corrected" }>} */
  const rolls = new Map();
  for (const { id, roll, dice = [], correction } of rows) {
    if (typeof roll !== "number" || (rolls.size === ENOUGH_ROLLS && !rolls.has(roll))) continue;
    const known = rolls.get(roll) ?? { id, roll, dice, how: "right" };
    const isWrong = dice.some(
      (die) => die.added || (!die.unread && "read_value" in die && die.read_value !== die.value),
    );
    if (isWrong || correction?.word === "no_die") known.how = "corrected";
    else if (known.how === "right" && (correction?.word === "confirmed" || dice.some((die) => die.unread)))
      known.how = "doubted";
    // The picture is that of the throw.
    rolls.set(roll, { ...known, id });
  }
  const each = [...rolls.values()];
  const count = (/** @type {string} */ how) => each.filter((one) => one.how === how).length;
  return { rolls: each.length, right: count("right"), doubted: count("doubted"), corrected: count("corrected"), each };
}

/**
 * What the counts say: whether one can play, whether it may get better, or has to.
 * @param {{ doubted: number, corrected: number }} read
 * @returns {"ok" | "warn" | "fail"}
 */
export const verdictOf = ({ doubted, corrected }) => (corrected > 1 ? "fail" : corrected + doubted > 3 ? "warn" : "ok");
