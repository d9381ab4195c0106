// @ts-check
// Shared by all pages that follow the tray: toasts, and the line for a lost connection.

import { ask, listen } from "../lib/api.js";
import { byId } from "../lib/dom.js";
import { onDemand } from "../lib/on-demand.js";
import { myName } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { lookOnly } from "./look-only.js";

/** @import { Snapshot } from "../lib/types.js" */

/** @type {ReturnType<typeof setTimeout>} */
let toastTimer;

/**
 * Shown above everything, open dialogs included, if the browser supports it.
 * @param {HTMLElement} node
 * @param {boolean} isUp
 */
export function raise(node, isUp) {
  node.hidden = !isUp;
  if (!("showPopover" in node) || !node.popover) return;
  if (node.matches(":popover-open")) node.hidePopover();
  if (isUp) node.showPopover();
}

/** @param {string} text */
export function say(text) {
  const toast = byId("toast");
  toast.textContent = text;
  raise(toast, true);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => raise(toast, false), 6000);
}

/**
 * Sends a request, and shows why it was refused.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {number} [withinMs]
 * @returns {Promise<any>} what was answered; null if it was refused
 */
export async function send(method, path, body, withinMs) {
  const answer = await ask(method, path, body, withinMs);
  if (!answer.ok) say(answer.text);
  return answer.ok ? answer.snapshot : null;
}

// Browsers silently cut input that is too long.
document.addEventListener("beforeinput", ({ target, data }) => {
  if (!data || !(target instanceof HTMLInputElement) || target.maxLength < 0) return;
  const chosen = (target.selectionEnd ?? 0) - (target.selectionStart ?? 0);
  if (target.value.length - chosen + data.length > target.maxLength)
    say(t("page.most_letters", { most: target.maxLength }));
});

/**
 * While the connection is lost the page says so and nothing on it can be pressed; requests from open dialogs are refused.
 * @param {(snapshot: Snapshot, isFirst: boolean) => void} onSnapshot
 * @param {boolean} [hasOwnNotice] whether the page itself says what a device that is not paired may do
 */
export function follow(onSnapshot, hasOwnNotice = false) {
  const undo = onDemand(() => import("./undo.js"));
  const knocks = onDemand(() => import("./knocks.js"));
  const turn = onDemand(async () => (await import("./my-turn.js")).myTurn());
  const isPlayers = () => Boolean(myName()) && location.pathname !== "/";
  addEventListener("click", () => isPlayers() && turn.use(({ unlock }) => unlock()), { once: true });
  if (!hasOwnNotice) {
    addEventListener("not-paired", lookOnly);
    document.addEventListener("visibilitychange", () => document.hidden || lookOnly());
  }
  const show = (/** @type {Snapshot} */ snapshot, /** @type {boolean} */ isFirst) => {
    onSnapshot(snapshot, isFirst);
    if (isPlayers() || turn.now) turn.use(({ update }) => update(snapshot));
    if (snapshot.undo || undo.now) undo.use(({ showUndo }) => showUndo(snapshot.undo ?? null));
    if (snapshot.knocks?.length || knocks.now) knocks.use(({ showKnocks }) => showKnocks(snapshot.knocks ?? []));
    if (isFirst && !hasOwnNotice) lookOnly();
  };
  return listen(show, (lost) => {
    document.body.dataset.lost = String(lost);
    raise(byId("lost"), lost);
    for (const main of document.getElementsByTagName("main")) main.inert = lost;
  });
}
