// @ts-check
// The part of the picture that the stage shows: picture and marks are laid over each other, and moved as one.

/** @import { Box } from "./outlines.js" */

/**
 * Returns a function that shows a part of the picture as large as the stage allows, with what lies around it; null: all.
 * @param {HTMLElement} stage
 * @param {HTMLCanvasElement} canvas
 * @param {SVGSVGElement} marks
 */
export function zoomOf(stage, canvas, marks) {
  /** @type {Box | null} */
  let part = null;
  function place() {
    const { width, height } = canvas;
    const box = part ?? { x: 0, y: 0, width, height };
    const scale = Math.min(stage.clientWidth / box.width, stage.clientHeight / box.height);
    /** @type {(room: number, all: number, from: number, size: number) => number} */
    const at = (room, all, from, size) => {
      const middle = room / 2 - (from + size / 2) * scale;
      return all * scale < room ? (room - all * scale) / 2 : Math.min(0, Math.max(room - all * scale, middle));
    };
    const left = at(stage.clientWidth, width, box.x, box.width);
    const top = at(stage.clientHeight, height, box.y, box.height);
    for (const node of [canvas, marks]) node.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }
  const watch = new ResizeObserver(place);
  watch.observe(stage);
  watch.observe(canvas);
  return (/** @type {Box | null} */ next) => {
    part = next;
    place();
  };
}
