// @ts-check
// This device's player, role and sheets, stored in the browser.

/** @import { Role } from "./types.js" */

const NAME = "player";
const OWN = "player-own";

/** @type {{ role: Role, sheets: number[] }} */
const NOTHING = { role: "table", sheets: [] };
let name = read(NAME) ?? "";
let own = readOwn();

/** @param {string} key */
function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function readOwn() {
  try {
    return { ...NOTHING, ...JSON.parse(read(OWN) ?? "{}") };
  } catch {
    return NOTHING; // Another program's, or another version's.
  }
}

/**
 * @param {string} key
 * @param {string} text empty: nothing is kept
 */
function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // Storage is off: it lasts until the page is closed.
  }
}

/** The player's name; empty if unknown. */
export function myName() {
  return name;
}

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
  keep(OWN, role === "table" && !sheets.length ? "" : JSON.stringify(own));
}
