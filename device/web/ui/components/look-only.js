// @ts-check
// An unpaired device is read-only: one line replaces the buttons that it cannot press.

import { element } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { t } from "../lib/texts.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";

/** @type {HTMLElement | null} */
let line = null;

export async function lookOnly() {
  const identity = await learnIdentity();
  if (!identity) return;
  const isGuest = identity.role === "guest";
  document.body.dataset.guest = String(isGuest);
  for (const page of document.querySelectorAll("main:is(#sheets, #rulings, #start)"))
    page.toggleAttribute("inert", isGuest);
  if (isGuest)
    line ??= /** @type {HTMLElement} */ (
      element(
        html`<div class="look-only" data-testid="look-only">${t("page.guest.line")} <a class="tool" href=${`/me?back=${encodeURIComponent(location.pathname)}`}>${t("page.me.pair")}</a></div>`,
      )
    );
  if (!line) return;
  line.hidden = !isGuest;
  // An inert page is not a landmark, and there must be one.
  if (document.querySelector("main[inert]")) line.setAttribute("role", "main");
  if (line.isConnected) return;
  const actions = document.querySelector(".actions");
  if (actions) actions.append(line);
  else document.querySelector("main")?.before(line);
}
