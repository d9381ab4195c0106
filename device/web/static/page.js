// What the pages beside the display share: a short notice, and the line that says when the tray does not answer.

import { listen } from "./api.js";

let toastTimer = 0;

export function say(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.hidden = true), 6000);
}

export function follow(onSnapshot) {
  listen(onSnapshot, (lost) => {
    document.body.dataset.lost = String(lost);
    document.getElementById("lost").hidden = !lost;
    document.querySelector("main").inert = lost;
  });
}
