// @ts-check
// The menu on this device: a phone's own pages if it is one, and Back to the previous page.

import { isOwnOnly, myRole } from "./player.js";

/** @param {string} name */
function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null; // Storage is off, or another program's.
  }
}

/** @param {string} name @param {unknown} value */
function keep(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Then only this page knows.
  }
}

/**
 * The pages visited, this one last: Back follows them without going round in circles.
 * @param {unknown} before
 * @param {string} now
 * @returns {string[]}
 */
export function trailOf(before, now) {
  const trail = Array.isArray(before) ? before.filter((one) => typeof one === "string" && one.startsWith("/")) : [];
  const at = trail.findIndex((one) => pathOf(one) === pathOf(now));
  return [...(at < 0 ? trail : trail.slice(0, at)), now].slice(-20);
}

/** @param {string} address */
const pathOf = (address) => address.split("?")[0];

/** @param {string} selector @param {string} address */
function lead(selector, address) {
  for (const link of document.querySelectorAll(selector)) link.setAttribute("href", address);
}

const own = /** @type {HTMLElement | null} */ (globalThis.document?.querySelector(".menu [data-own]"));
const usual = own?.textContent ?? "";

// The phone's own pages; again once a name was chosen.
function leadOwn() {
  const table = kept("phone") || myRole() !== "table" ? "/phone" : "/";
  if (table === "/phone") {
    lead('.menu [data-section="roll"]', table);
    lead('.menu [data-section="players"]', "/me");
  }
  if (own) own.textContent = isOwnOnly() ? (own.dataset.own ?? "") : usual;
  lead('.menu [data-section="help"]', `${table}#help`);
  return table;
}

function mount() {
  const trail = trailOf(kept("trail"), location.pathname + location.search);
  keep("trail", trail);
  if (location.pathname === "/phone") keep("phone", true);
  addEventListener("role", leadOwn);
  const table = leadOwn();
  const before = trail.at(-2) ?? (table === "/phone" ? table : null);
  if (before) lead('[data-testid="back"]', before);
}

if ("document" in globalThis) mount();
