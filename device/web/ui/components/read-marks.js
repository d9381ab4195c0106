// @ts-check
// What the tray reads, over its picture: each die's outline and value, red with a question mark where it is not read.

import { element } from "../lib/dom.js";
import { points } from "../lib/drawing.js";
import { html, render, svg } from "../lib/vendor/lit-html/lit-html.js";
import { t } from "../lib/texts.js";
import { faceWord } from "../lib/words.js";
import { livePicture } from "./picture.js";

/** @import { Die, Snapshot } from "../lib/types.js" */

/** @param {Pick<Die, "top_quad_px" | "value" | "unread">} die @param {string} [word] what kind of die it is */
export function readMark({ top_quad_px: quad, value, unread }, word = "") {
  if (!quad?.length) return svg``;
  const isUnread = (unread ?? null) !== null;
  const x = quad.reduce((sum, corner) => sum + corner[0], 0) / quad.length;
  const y = Math.min(...quad.map((corner) => corner[1])) - 12;
  return svg`<polygon class=${isUnread ? "read is-unread" : "read"} points=${points(quad)}></polygon><text class="value" x=${x} y=${y}>${isUnread ? "?" : `${word} ${faceWord(value)}`.trim()}</text>`;
}

/** A line of what was measured: how it went, and what it is. @param {string} verdict @param {string} text */
export const checkLine = (verdict, text, word = t(`page.calibrate.${verdict}`)) =>
  html`<li class="check is-${verdict}"><b>${word}</b> <span>${text}</span></li>`;

/** What a check says, with its cure. @param {string} text @param {string | null} [cure] */
export const withCure = (text, cure) => (cure ? t("page.calibrate.cure", { text, cure }) : text);

/** The live picture with the marks of the dice that lie there; it rests while it is not on the page. */
export function readPicture() {
  /** @type {Snapshot | null} */
  let latest = null;
  /** @type {HTMLElement} */
  const node = element(
    html`<figure class="read-picture"><canvas class="live" width="1280" height="960" role="img" aria-label=${t("page.table.picture")}></canvas><svg aria-hidden="true"></svg><figcaption class="quiet" hidden>${t("page.table.no_picture")}</figcaption></figure>`,
  );
  const canvas = /** @type {HTMLCanvasElement} */ (node.querySelector("canvas"));
  const drawn = /** @type {SVGSVGElement} */ (node.querySelector("svg"));
  const note = /** @type {HTMLElement} */ (node.querySelector("figcaption"));
  livePicture(canvas, note, () => latest?.state === "rolling");
  return {
    node,
    /** @param {Snapshot} snapshot @param {Pick<Die, "top_quad_px" | "value" | "unread">[]} [dice] */
    show(snapshot, dice = snapshot.dice) {
      latest = snapshot;
      drawn.setAttribute("viewBox", `0 0 ${canvas.width} ${canvas.height}`);
      render(
        (snapshot.covered ? [] : (dice ?? [])).map((die) => readMark(die)),
        /** @type {any} */ (drawn),
      );
    },
  };
}
