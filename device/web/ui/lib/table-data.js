// @ts-check
// Data that is not in the snapshot: tiles of the current rules, and sheets. Requested when they change.

import { ask, askSeen } from "./api.js";

/** @import { Answer, Book, Say, Sheets, Tiles } from "./types.js" */

/** What stands for the sheets until the tray has said which there are. @type {Sheets} */
export const UNKNOWN = { chosen: null, carry: "ask", kinds: [], rules: {}, sheets: [] };

/** @param {Say} say @returns {Book} */
export function tableBook(say) {
  /** @type {(() => void)[]} */
  const listeners = [];
  /** @type {Tiles | null} */
  let tiles = null;
  let sheets = UNKNOWN;
  /** @type {{ system: string | null, revision: number | null }} */
  const wanted = { system: null, revision: null };

  const notify = () => listeners.forEach((listener) => listener());

  /** @param {string} system */
  async function fetchTiles(system) {
    const answer = await ask("GET", `/api/tiles?system=${encodeURIComponent(system)}`);
    if (wanted.system !== system) return;
    if (answer.ok) tiles = answer.snapshot;
    else wanted.system = null;
    notify();
  }
  /** @param {number} revision */
  async function fetchSheets(revision) {
    const answer = await ask("GET", "/api/sheets");
    if (wanted.revision !== revision) return;
    if (answer.ok) sheets = answer.snapshot;
    else wanted.revision = null;
    notify();
  }

  /** @param {Answer} answer */
  function bodyOf(answer) {
    if (answer.ok) return answer.snapshot;
    say(answer.text);
    return null;
  }

  return {
    say,
    onNews: (listener) => listeners.push(listener),
    update(snapshot) {
      // A tray without a table has neither sheets nor tiles.
      if (snapshot.sheets_revision === undefined) return;
      if (snapshot.system && snapshot.system !== wanted.system) {
        wanted.system = snapshot.system;
        fetchTiles(snapshot.system);
      }
      if (snapshot.sheets_revision !== wanted.revision) {
        wanted.revision = snapshot.sheets_revision;
        fetchSheets(snapshot.sheets_revision);
      }
    },
    get tiles() {
      return tiles;
    },
    get sheets() {
      return sheets;
    },
    own: null,
    // The sheet that fills the tiles: a phone's own, else the one in use.
    get sheet() {
      return (
        sheets.sheets.find(
          ({ id, system }) => system === tiles?.system && (this.own?.includes(id) ?? id === sheets.chosen),
        ) ?? null
      );
    },
    // Sends one request; shows a refusal, and returns the response's body or null.
    send: async (method, path, body) => bodyOf(await ask(method, path, body)),
    // The same for requests about the roll on this page.
    sendSeen: async (method, path, body) => bodyOf(await askSeen(method, path, body)),
  };
}
