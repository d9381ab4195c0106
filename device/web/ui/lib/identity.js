// @ts-check
// Requests this device's identity and stores it, so that a page opened offline still has its player.

import { ask } from "./api.js";
import { keepName, keepOwn, mySheets } from "./player.js";

/** @import { Identity } from "./types.js" */

/** @returns {Promise<Identity | null>} null where the tray did not answer */
export async function learnIdentity() {
  const answer = await ask("GET", "/api/phones/me");
  return answer.ok ? saveIdentity(answer.snapshot) : null;
}

/** Stores the tray's answer. @param {Identity} identity */
export function saveIdentity(identity) {
  // Without PINs the tray does not distinguish phones: name and sheets are stored in this browser.
  if (identity.role === "table") keepOwn("table", mySheets());
  else {
    keepOwn(identity.role, identity.sheets);
    keepName(identity.name ?? "");
  }
  return identity;
}
