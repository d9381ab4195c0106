// @ts-check
// Dice cut out of the picture that they were read from: a later picture may show a hand, or other dice.

import { cropOf } from "../lib/doubts.js";
import { diceOf } from "../../../ui/lib/words.js";

/** @import { Crop } from "../lib/doubts.js" */
/** @import { Die, Snapshot } from "../../../ui/lib/types.js" */

let reading = "";
/** @type {Promise<ImageBitmap | null>} */
let picture = Promise.resolve(null);

async function fetchPicture() {
  const response = await fetch("/api/frame.jpg?quiet=true&read=true", {
    cache: "no-cache",
    signal: AbortSignal.timeout(15000),
  });
  return response.status === 200 ? createImageBitmap(await response.blob()) : null;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {ImageBitmap} image
 * @param {number} scale of the image, to the size in which dice are given
 * @param {Crop} crop
 */
function drawCrop(canvas, image, scale, { center, side, turn_rad }) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.imageSmoothingQuality = "high";
  pen.translate(canvas.width / 2, canvas.height / 2);
  pen.rotate(-turn_rad);
  pen.scale(canvas.width / side / scale, canvas.height / side / scale);
  pen.translate(-center[0] * scale, -center[1] * scale);
  pen.drawImage(image, 0, 0);
}

/**
 * Draws the crops in a part of the page, once the picture has come; one of a hidden roll never does.
 * @param {Element} part
 * @param {Snapshot} snapshot
 * @param {Die[]} [dice]
 */
export async function drawCrops(part, snapshot, dice = diceOf(snapshot)) {
  if (!part.querySelector("[data-crop]")) return;
  const key = JSON.stringify(diceOf(snapshot).map(({ id, top_quad_px: corners }) => [id, corners]));
  if (key !== reading) {
    picture.then((image) => image?.close());
    reading = key;
    picture = fetchPicture().catch(() => null);
  }
  const image = await picture;
  if (key !== reading) return;
  // What did not come is asked for again with the next state.
  if (!image) reading = "";
  for (const canvas of /** @type {NodeListOf<HTMLCanvasElement>} */ (part.querySelectorAll("[data-crop]"))) {
    const die = dice.find(({ id }) => String(id) === canvas.dataset.crop);
    const crop = die && cropOf(die);
    if (!image || !crop) continue;
    drawCrop(canvas, image, image.width / (snapshot.frame?.width ?? image.width), crop);
    canvas.dataset.drawn = "";
  }
}
