// @ts-check
// What a phone's page learns about itself: whose it is, and whether the tray still knows it.

import { learnIdentity } from "../lib/identity.js";
import { keepShell } from "../lib/offline.js";
import { myRole, mySheets } from "../lib/player.js";

/** @import { Book } from "../lib/types.js" */

const AGAIN_MS = 15_000;

/** @param {Book} book */
export function mountBar(book) {
  document.body.dataset.phone = "";

  function draw() {
    book.own = myRole() === "player" || mySheets().length ? mySheets() : null;
  }

  async function learn() {
    const identity = await learnIdentity();
    // The address may hold the PIN that its code on the display had.
    if (identity?.role === "guest") return location.replace(`/me${location.hash}`);
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    draw();
  }

  draw();
  learn();
  keepShell();
  addEventListener("not-paired", learn);
  // The display may forget the phone meanwhile, or make it the game master's.
  document.addEventListener("visibilitychange", () => document.hidden || learn());
  setInterval(() => document.hidden || myRole() === "table" || learn(), AGAIN_MS);
}
