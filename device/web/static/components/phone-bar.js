// @ts-check
// What a phone's page has in its bar: the way to its player's own page, and for the game master to that one.

import { byId } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { keepShell } from "../lib/offline.js";
import { myName, myRole, mySheets } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @import { Book } from "../lib/types.js" */

const AGAIN_MS = 15_000;

/** @param {Book} book */
export function mountBar(book) {
  const nav = document.createElement("nav");
  nav.className = "phone-nav";
  nav.setAttribute("aria-label", t("page.me.pages"));
  byId("state").after(nav);

  function draw() {
    const isMaster = myRole() === "table" || myRole() === "game_master";
    render(
      html`<a class="tool link" href="/me" data-testid="me-link">${myName() || t("page.me.title")}</a>${isMaster ? html`<a class="tool link" href="/gm" data-testid="gm-link">${t("page.gm.short")}</a>` : nothing}`,
      nav,
    );
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
  // The display may forget the phone meanwhile, or make it the game master's.
  document.addEventListener("visibilitychange", () => document.hidden || learn());
  setInterval(() => document.hidden || myRole() === "table" || learn(), AGAIN_MS);
}
