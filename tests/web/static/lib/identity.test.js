import { answerFetch } from "../browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const kept = {};
globalThis.localStorage = {
  getItem: (key) => kept[key] ?? null,
  setItem: (key, value) => (kept[key] = value),
  removeItem: (key) => delete kept[key],
};
const { learnIdentity, saveIdentity } = await import("../../../../device/web/ui/lib/identity.js");
const { keepName, keepOwn, myName, myRole, mySheets } = await import("../../../../device/web/ui/lib/player.js");

const ME = { asked: true, role: "player", id: 4, name: "Ann", sheets: [3], taken: [] };

beforeEach(() => {
  keepName("");
  keepOwn("table", []);
});

test("a phone keeps who it is, also while the tray does not answer", async () => {
  const requests = answerFetch(() => ({ body: ME }));
  assert.deepEqual(await learnIdentity(), ME);
  assert.deepEqual(requests, [["GET", "/api/phones/me", undefined]]);
  assert.deepEqual([myName(), myRole(), mySheets()], ["Ann", "player", [3]]);
  answerFetch(() => Promise.reject(new TypeError("no network")));
  assert.equal(await learnIdentity(), null);
  assert.equal(myName(), "Ann");
});

test("a forgotten phone has no owner", () => {
  saveIdentity(ME);
  saveIdentity({ ...ME, role: "guest", id: null, name: null, sheets: [] });
  assert.deepEqual([myName(), myRole(), mySheets()], ["", "guest", []]);
});

test("where no PIN is asked for, this browser's own word holds", () => {
  keepName("Zo");
  keepOwn("table", [7]);
  saveIdentity({ ...ME, asked: false, role: "table", id: null, name: null, sheets: [] });
  assert.deepEqual([myName(), myRole(), mySheets()], ["Zo", "table", [7]]);
});
