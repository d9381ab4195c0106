// @ts-check
// The last press with Undo, while the tray offers it; the key U does the same.

import { ask } from "../lib/api.js";
import { element } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";
import { raise, say } from "./page.js";

/** @import { Undo } from "../lib/types.js" */

const bar = element(html`<div class="undo" role="status" data-testid="undo" hidden></div>`);
/** @type {Undo | null} */
let offered = null;

async function press() {
  if (!offered) return;
  const answer = await ask("POST", "/api/undo", { id: offered.id });
  if (!answer.ok) say(answer.text);
}

// It has a place of its own beside the buttons of the tray; elsewhere it floats. An open dialog takes all taps, so the bar
// is inside it.
function place() {
  const open = document.querySelector("dialog[open]");
  const hints = open ? null : document.querySelector(".hints");
  bar.popover = hints ? null : "manual";
  bar.classList.toggle("toast", !hints);
  if (offered) (open ?? hints ?? document.body).append(bar);
  raise(bar, offered !== null);
}

/** @param {Undo | null} undo */
export async function showUndo(undo) {
  if (undo?.id === offered?.id) return;
  offered = undo;
  const me = undo && (await learnIdentity());
  if (undo !== offered) return;
  // A player can undo only what this phone has done.
  if (me && me.role !== "table" && me.role !== "game_master" && me.id !== undo?.by) offered = null;
  if (offered)
    render(
      html`<button type="button" data-testid="undo-button" @click=${press}>${t("page.undo_what", { what: offered.label })}</button>`,
      bar,
    );
  place();
}

document.addEventListener("close", place, { capture: true });
document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (
    key.toLowerCase() === "u" &&
    !(ctrlKey || metaKey || altKey) &&
    target instanceof Element &&
    !target.matches("input, select, textarea")
  )
    press();
});
