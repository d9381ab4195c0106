// @ts-check
// Outlines over the live picture, in the picture's own pixels: each die's class, value and what to do with it.

import { bodyHex, iconPath, inkHex, points } from "../../../ui/lib/drawing.js";
import { OUTLINES } from "../../../ui/lib/step-dice.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { nothing, render, svg } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { capital, classWords, diceOf, faceSign, problemsOf } from "../../../ui/lib/words.js";

/** @import { Colours, Die, IgnoredDie, Point, Snapshot } from "../../../ui/lib/types.js" */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ die: Die, sign: string | null, corners: Point[] }} Outline */

// More labels would cover each other and the dice; the list next to the picture has their content.
const MAX_PLATES = 24;
// Shares of the picture's width, so that marks look alike at every resolution.
const PLATE = { width: 0.103, plain: 0.072, height: 0.042, gap: 0.008, grow: 0.007, line: 0.0042 };

/** @param {Point[]} corners @param {number} by @returns {Point[]} */
function grown(corners, by) {
  const x0 = corners.reduce((sum, [x]) => sum + x, 0) / corners.length;
  const y0 = corners.reduce((sum, [, y]) => sum + y, 0) / corners.length;
  return corners.map(([x, y]) => {
    const length = Math.hypot(x - x0, y - y0) || 1;
    return [x + ((x - x0) / length) * by, y + ((y - y0) / length) * by];
  });
}

/** @param {Box} a @param {Box} b */
export function overlap(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** @param {Point[]} corners @returns {Box} */
function boxOf(corners) {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return {
    x: Math.min(...xs),
    y: Math.min(...ys),
    width: Math.max(...xs) - Math.min(...xs),
    height: Math.max(...ys) - Math.min(...ys),
  };
}

/**
 * Places each die's label where it covers the least of other dice and labels.
 * @param {Outline[]} outlines
 * @param {{ width: number, height: number }} frame
 * @param {number} [unit] width of which the labels' sizes are shares
 */
export function placePlates(outlines, frame, unit = frame.width) {
  const gap = unit * PLATE.gap;
  const taken = outlines.map(({ corners }) => boxOf(corners));
  return outlines.map((outline, index) => {
    const box = taken[index];
    const size = {
      width: unit * (outline.sign ? PLATE.width : PLATE.plain),
      height: unit * PLATE.height,
    };
    const middle = { x: box.x + (box.width - size.width) / 2, y: box.y + (box.height - size.height) / 2 };
    const spots = [
      { x: middle.x, y: box.y - size.height - gap },
      { x: middle.x, y: box.y + box.height + gap },
      { x: box.x + box.width + gap, y: middle.y },
      { x: box.x - size.width - gap, y: middle.y },
    ].map((spot, order) => {
      const x = Math.min(Math.max(spot.x, 0), frame.width - size.width);
      const y = Math.min(Math.max(spot.y, 0), frame.height - size.height);
      const plate = { x, y, ...size };
      const covered = taken.reduce((sum, other) => sum + overlap(plate, other), 0);
      return { plate, cost: covered + order * size.width * 0.4 };
    });
    const best = spots.reduce((least, spot) => (spot.cost < least.cost ? spot : least));
    taken.push(best.plate);
    return best.plate;
  });
}

/** @param {Die} die @param {string | null} sign @param {Box} plate @param {Colours} [colours] */
function plateOf(die, sign, { x, y, width, height }, colours) {
  const side = height * 0.68;
  const inset = (height - side) / 2;
  const scale = (height * 0.74) / 24;
  return svg`<g class="plate" transform="translate(${x} ${y})">
    <rect width=${width} height=${height} rx=${height * 0.28} class="plate-body"></rect>
    <rect x=${inset} y=${inset} width=${side} height=${side} rx=${side * 0.24} fill=${bodyHex(die.colour, colours)} class="plate-swatch"></rect>
    <text x=${inset + side / 2} y=${height * 0.68} text-anchor="middle" font-size=${height * 0.52} fill=${inkHex(die.colour, colours)}>${die.role || die.colour ? capital(classWords(die)).charAt(0) : "?"}</text>
    <text x=${sign ? width * 0.5 : width * 0.74} y=${height * 0.83} text-anchor="middle" font-size=${height * 0.92} class="plate-value">${faceSign(die.value)}</text>
    ${sign ? svg`<path d=${iconPath(sign)} class="plate-icon" transform="translate(${width - 24 * scale - inset * 0.8} ${(height - 24 * scale) / 2}) scale(${scale})"></path>` : nothing}
  </g>`;
}

/**
 * A die's outline laid over its square: that of a die with more than six sides by its kind, else the square itself.
 * @param {Point[]} square
 * @param {number} [sides]
 * @returns {Point[]}
 */
export function outlineOf(square, sides = 6) {
  const [[x0, y0], [x1, y1], , [x3, y3]] = square;
  const corners = OUTLINES[sides]?.split(" ").map((corner) => corner.split(",").map((part) => Number(part) / 64));
  return (
    corners?.map(([along, down]) => [
      x0 + (x1 - x0) * along + (x3 - x0) * down,
      y0 + (y1 - y0) * along + (y3 - y0) * down,
    ]) ?? square
  );
}

/**
 * A dismissed object: a thin cross, so that it can be restored.
 * @param {IgnoredDie} die
 * @param {number} line
 * @param {(id: number) => unknown} onTap
 */
function dismissedMark(die, line, onTap) {
  const corners = die.top_quad_px ?? [];
  const [a, b, c, d] = corners.map((corner) => corner.join(","));
  return svg`<g class="mark kind-dismissed" data-mark-id=${die.id} data-dismissed="true" @click=${() => onTap(die.id)}>
    <polygon points=${points(corners)} class="dismissed" stroke-width=${line}></polygon>
    <path d="M${a} L${c} M${b} L${d}" class="dismissed" stroke-width=${line}></path>
  </g>`;
}

/** The squares of the dice that a problem or doubt is about. @param {Snapshot} snapshot */
export function inQuestion(snapshot) {
  if (snapshot.covered || snapshot.state === "rolling") return [];
  const named = new Set(problemsOf(snapshot).flatMap(({ dice }) => dice));
  return diceOf(snapshot)
    .filter(({ id, ask }) => named.has(id) || ask === "unread" || ask === "wrong")
    .flatMap(({ top_quad_px: corners }) => (corners?.length === 4 ? [corners] : []));
}

/**
 * The part of the picture that shows these dice, with an edge of a die around them; null if there are none.
 * @param {Point[][]} squares
 * @returns {Box | null}
 */
export function partWith(squares) {
  if (!squares.length) return null;
  const { x, y, width, height } = boxOf(squares.flat());
  const edge = Math.max(...squares.map((corners) => boxOf(corners).width));
  return { x: x - edge, y: y - edge, width: width + 2 * edge, height: height + 2 * edge };
}

/**
 * @param {SVGSVGElement} place
 * @param {Snapshot} snapshot
 * @param {(id: number) => unknown} onTap
 * @param {(part: Box | null) => void} zoom
 */
export function renderMarks(place, snapshot, onTap, zoom) {
  const frame = snapshot.frame ?? { width: 1280, height: 960 };
  place.setAttribute("width", String(frame.width));
  place.setAttribute("height", String(frame.height));
  const isStill = snapshot.state !== "rolling";
  const doubtful = inQuestion(snapshot);
  const part = partWith(doubtful);
  zoom(part);
  // Close up, labels keep their place at the die and grow half as fast as the picture.
  const unit = Math.sqrt(frame.width * Math.min(part?.width ?? frame.width, frame.width));
  const line = unit * PLATE.line;
  /** @type {Outline[]} */
  const outlines = [];
  for (const die of isStill ? diceOf(snapshot) : []) {
    const { ask = null, mark = null } = die;
    const sign = ask && ask !== "stay" ? ask : mark;
    // A die taken by mistake keeps its outline, which shows where it belongs.
    if (die.top_quad_px?.length === 4 && ask !== "picked")
      outlines.push({ die, sign, corners: outlineOf(grown(die.top_quad_px, unit * PLATE.grow), die.sides) });
  }
  const plates = outlines.length > MAX_PLATES ? [] : placePlates(outlines, frame, unit);
  const holes = doubtful.map((corners) => `M${grown(corners, unit * 0.02).join("L")}Z`).join("");
  const dim = svg`<path class="dim" fill-rule="evenodd" d="M0 0H${frame.width}V${frame.height}H0Z${holes}"></path>`;
  const outlined = (/** @type {Outline} */ { die, sign, corners }, /** @type {number} */ index) =>
    svg`<g class="mark kind-${die.ask ?? "final"} mark-${die.mark ?? "none"}" data-mark-id=${die.id} @click=${() => onTap(die.id)}>
      <polygon points=${points(corners)} class="halo" stroke-width=${line * 2.4}></polygon>
      <polygon points=${points(corners)} class="outline" stroke-width=${line} stroke-dasharray=${die.ask === "reroll" ? `${line * 3} ${line * 1.9}` : "none"}></polygon>
      ${plates.length ? plateOf(die, sign, plates[index], snapshot.colours) : nothing}
    </g>`;
  const marks = repeat(outlines, ({ die }) => die.id, outlined);
  const dismissed = (isStill ? (snapshot.ignored_dice ?? []) : []).map((die) => dismissedMark(die, line * 0.7, onTap));
  render([part ? dim : nothing, marks, dismissed], /** @type {any} */ (place));
}
