// @ts-check
// Asks the tray what this device is to the table, and keeps it: a page that opens without a network still knows its player.

import { ask } from "./api.js";
import { keepName, keepOwn, mySheets } from "./player.js";

/** @import { Identity } from "./types.js" */

/**
 * @returns {Promise<Identity | null>} null where the tray did not answer
 */
export async function learnIdentity() {
  const answer = await ask("GET", "/api/phones/me");
  return answer.ok ? saveIdentity(answer.snapshot) : null;
}

/**
 * Keeps what the tray has answered.
 * @param {Identity} identity
 */
export function saveIdentity(identity) {
  // Where no PIN is asked for, the tray keeps no phones apart: name and sheets are this browser's own word.
  if (identity.role === "table") keepOwn("table", mySheets());
  else {
    keepOwn(identity.role, identity.sheets);
    keepName(identity.name ?? "");
  }
  return identity;
}
