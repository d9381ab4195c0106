// @ts-check
// The last press with Undo, while the tray offers it; the key U does the same.

import { ask } from "../lib/api.js";
import { element } from "../lib/dom.js";
import { learnIdentity } from "../lib/identity.js";
import { isMaster } from "../lib/player.js";
import { maybe, t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";
import { raise, send } from "./page.js";

/** @import { Undo } from "../lib/types.js" */

const bar = element(html`<div class="undo" role="status" data-testid="undo" hidden></div>`);
const HOLD_MS = 2000;
/** @type {Undo | null} */
let offered = null;
/** @type {ReturnType<typeof setInterval> | undefined} */
let holding;

// While the button has the focus, or a finger or the pointer on it, the tray keeps the offer.
function hold() {
  // A touched screen keeps :hover until the next tap.
  const held = matchMedia("(hover: hover)").matches ? ":hover, :active, :focus-within" : ":active, :focus-within";
  const isHeld = offered && bar.matches(held);
  if (!isHeld) {
    clearInterval(holding);
    holding = undefined;
    return;
  }
  ask("POST", "/api/undo/hold", { id: offered?.id });
  holding ??= setInterval(hold, HOLD_MS);
}
for (const kind of ["pointerenter", "pointerdown", "focusin"]) bar.addEventListener(kind, hold);

const press = () => offered && send("POST", "/api/undo", { id: offered.id });

// It has a place of its own next to the buttons of the tray; elsewhere it floats. An open dialog takes all taps, so the bar
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
  if (me && !isMaster(me.role) && me.id !== undo?.by) offered = null;
  if (offered)
    render(
      html`<button type="button" data-testid="undo-button" @click=${press}>${maybe(`page.undo_of.${offered.action}`) ?? t("page.undo_what", { what: offered.label })}</button>`,
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
