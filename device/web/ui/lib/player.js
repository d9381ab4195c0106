// @ts-check
// This device's player, role and sheets, stored in the browser.

import { keep, kept } from "./kept.js";

/** @import { Role } from "./types.js" */

const NAME = "player";
const OWN = "player-own";
const WHOLE = "whole-tray";

/** @type {{ role: Role, sheets: number[] }} */
const NOTHING = { role: "table", sheets: [] };
let name = kept(NAME) ?? "";
let own = readOwn();

function readOwn() {
  try {
    return { ...NOTHING, ...JSON.parse(kept(OWN) ?? "{}") };
  } catch {
    return NOTHING; // Another program's, or another version's.
  }
}

// Style sheets leave out what is not for a player's phone; the menu names its page.
function markRole() {
  if (!("document" in globalThis)) return;
  document.documentElement.dataset.role = isOwnOnly() ? "player" : own.role;
  globalThis.dispatchEvent?.(new Event("role"));
}

const isPhoneSize = () =>
  location.pathname === "/phone" || matchMedia("(max-width: 619px), (max-height: 450px)").matches;

/** Whether this phone shows the whole tray, though it has a player. */
export const isWhole = () => kept(WHOLE) !== null;

/** @param {boolean} whole */
export function keepWhole(whole) {
  keep(WHOLE, whole ? "yes" : "");
  markRole();
}

/** Whether this device shows its player's own things alone; without PINs, a phone with a name does. */
export function isOwnOnly() {
  return own.role === "player" || (own.role === "table" && Boolean(name) && isPhoneSize() && !isWhole());
}

/** The player's name; empty if unknown. */
export const myName = () => name;

/** Whether a requested roll is this device's player's. @param {{ owner: string | null } | null | undefined} request */
export const isMine = (request) => Boolean(name) && request?.owner === name;

/** @param {string} chosen */
export function keepName(chosen) {
  name = chosen;
  keep(NAME, chosen);
  markRole();
}

/** Ids of the player's own sheets. */
export const mySheets = () => own.sheets;

/** This device's last known role. */
export const myRole = () => own.role;

/** Whether a role may do everything, as that of the display and of the game master's phone may. */
export const isMaster = (role = own.role) => role === "table" || role === "game_master";

/** @param {Role} role @param {number[]} sheets */
export function keepOwn(role, sheets) {
  own = { role, sheets };
  markRole();
  keep(OWN, role === "table" && !sheets.length ? "" : JSON.stringify(own));
}

markRole();
