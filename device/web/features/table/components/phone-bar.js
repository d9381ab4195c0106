// @ts-check
// A phone's identity: its player, and whether it is still paired.

import { learnIdentity } from "../../../ui/lib/identity.js";
import { keepShell } from "../../../ui/lib/offline.js";
import { myRole, mySheets } from "../../../ui/lib/player.js";

/** @import { Book } from "../../../ui/lib/types.js" */

const AGAIN_MS = 15_000;

/** @param {Book} book */
export function mountBar(book) {
  document.body.dataset.phone = "";

  function draw() {
    book.own = myRole() === "player" || mySheets().length ? mySheets() : null;
  }

  async function learn() {
    const identity = await learnIdentity();
    // The URL may contain the PIN of the code on the display.
    if (identity?.role === "guest") return location.replace(`/me${location.hash}`);
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    draw();
  }

  draw();
  learn();
  keepShell();
  addEventListener("not-paired", learn);
  // The display may unpair the phone meanwhile, or make it the game master's.
  document.addEventListener("visibilitychange", () => document.hidden || learn());
  setInterval(() => document.hidden || myRole() === "table" || learn(), AGAIN_MS);
}
