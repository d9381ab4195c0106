// @ts-check
// This device's player, role and sheets, stored in the browser.

import { keep, kept } from "./kept.js";

/** @import { Role } from "./types.js" */

const NAME = "player";
const OWN = "player-own";

/** @type {{ role: Role, sheets: number[] }} */
const NOTHING = { role: "table", sheets: [] };
let name = kept(NAME) ?? "";
let own = readOwn();
markRole();

function readOwn() {
  try {
    return { ...NOTHING, ...JSON.parse(kept(OWN) ?? "{}") };
  } catch {
    return NOTHING; // Another program's, or another version's.
  }
}

// Style sheets leave out what is not for a player's phone.
function markRole() {
  if ("document" in globalThis) document.documentElement.dataset.role = own.role;
}

/** The player's name; empty if unknown. */
export function myName() {
  return name;
}

/**
 * Whether a requested roll is this device's player's.
 * @param {{ owner: string | null } | null | undefined} asked
 */
export const isMine = (asked) => Boolean(name) && asked?.owner === name;

/** @param {string} chosen */
export function keepName(chosen) {
  name = chosen;
  keep(NAME, chosen);
}

/** Ids of the player's own sheets. */
export function mySheets() {
  return own.sheets;
}

/** This device's last known role. */
export function myRole() {
  return own.role;
}

/**
 * @param {Role} role
 * @param {number[]} sheets
 */
export function keepOwn(role, sheets) {
  own = { role, sheets };
  markRole();
  keep(OWN, role === "table" && !sheets.length ? "" : JSON.stringify(own));
}
