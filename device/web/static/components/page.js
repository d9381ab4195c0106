// What every page that follows the tray shares: a short notice, and the line that says when the tray is not heard.

import { listen } from "../lib/api.js";

let toastTimer = 0;

// Shown above everything, open windows included, where the browser knows how.
function raise(node, isUp) {
  node.hidden = !isUp;
  if (!node.showPopover) return;
  if (node.matches(":popover-open")) node.hidePopover();
  if (isUp) node.showPopover();
}

export function say(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  raise(toast, true);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => raise(toast, false), 6000);
}

// While the tray is not heard the page says so and nothing on it can be pressed; what is wished for in a window that was
// open is refused (lib/api.js).
export function follow(onSnapshot) {
  return listen(onSnapshot, (lost) => {
    document.body.dataset.lost = String(lost);
    raise(document.getElementById("lost"), lost);
    document.querySelector("main").inert = lost;
  });
}
