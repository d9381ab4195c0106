// What settles a doubt beside the pad: a tap on an empty place of the picture, one word for all dice, another pool.

import { html, icon } from "../lib/drawing.js";
import { t } from "../lib/texts.js";

const NO_ADDING = new Set(["rolling", "fault"]);

// Calls onPlace with a place in the picture's own pixels, where somebody taps it beside every die.
export function tapPlaces(stage, canvas, latest, onPlace) {
  stage.addEventListener("click", (event) => {
    const snapshot = latest();
    if (!snapshot || NO_ADDING.has(snapshot.state) || event.target.closest(".mark, button, a") || !canvas.dataset.etag) return;
    const box = canvas.getBoundingClientRect();
    const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
    const x = (event.clientX - box.left - (box.width - canvas.width * scale) / 2) / scale;
    const y = (event.clientY - box.top - (box.height - canvas.height * scale) / 2) / scale;
    if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) return;
    onPlace([Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
  });
}

// The line under the problems that settles them all, where every die is read and only the picture is in doubt.
export function confirmLine(onConfirm) {
  const button = html("button", { id: "confirm", type: "button", class: "tool confirm" }, icon("final"), t("page.doubt.confirm"));
  button.addEventListener("click", onConfirm);
  return html("li", { class: "confirm-line" }, button);
}

// The line that lets the dice count as they lie, where they are only not those that were declared.
export function anyDiceLine(onClear) {
  const button = html("button", { id: "any-dice", type: "button", class: "tool confirm" }, t("page.doubt.any"));
  button.addEventListener("click", onClear);
  return html("li", { class: "confirm-line" }, button);
}
