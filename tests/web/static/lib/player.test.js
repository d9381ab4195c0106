import assert from "node:assert/strict";
import { test } from "node:test";

const PATH = "../../../../device/web/ui/lib/player.js";
let fresh = 0;

/** A browser that keeps things, or one whose storage is off; gives the script as a page of it has loaded it. */
async function opened(kept) {
  const off = () => {
    throw new Error("off");
  };
  globalThis.localStorage = kept
    ? {
        getItem: (key) => kept[key] ?? null,
        setItem: (key, value) => (kept[key] = value),
        removeItem: (key) => delete kept[key],
      }
    : { getItem: off, setItem: off, removeItem: off };
  fresh += 1;
  return import(`${PATH}?${fresh}`);
}

test("a name is known again by the next page of the browser, until it is taken away", async () => {
  const kept = {};
  const first = await opened(kept);
  assert.equal(first.myName(), "");
  first.keepName("Ann");
  const next = await opened(kept);
  assert.equal(next.myName(), "Ann");
  next.keepName("");
  assert.deepEqual([next.myName(), kept], ["", {}]);
});

test("where storage is off a name holds for the page", async () => {
  const page = await opened(null);
  page.keepName("Ann");
  assert.equal(page.myName(), "Ann");
});

test("what is a player's own is known again, and what no page has written counts for nothing", async () => {
  const kept = { player: "Ann" };
  const first = await opened(kept);
  assert.deepEqual([first.myRole(), first.mySheets()], ["table", []]);
  first.keepOwn("player", [3, 5]);
  const next = await opened(kept);
  assert.deepEqual([next.myRole(), next.mySheets()], ["player", [3, 5]]);
  next.keepOwn("table", []);
  assert.deepEqual(kept, { player: "Ann" });
  assert.deepEqual((await opened({ "player-own": "{" })).mySheets(), []);
});

test("a phone with a player's name shows that player's own things, until all of the tray is wanted", async () => {
  const [at, size] = [{ pathname: "/" }, { matches: false }];
  Object.assign(globalThis, { location: at, matchMedia: () => size, document: { documentElement: { dataset: {} } } });
  const { dataset } = document.documentElement;
  const page = await opened({ player: "Ann" });
  assert.equal(dataset.role, "table");
  size.matches = true;
  page.keepName("Ann");
  assert.equal(dataset.role, "player");
  page.keepWhole(true);
  assert.deepEqual([page.isWhole(), dataset.role], [true, "table"]);
  page.keepWhole(false);
  page.keepName("");
  assert.equal(dataset.role, "table");
  Object.assign(size, { matches: false });
  Object.assign(at, { pathname: "/phone" });
  page.keepName("Ann");
  assert.equal(dataset.role, "player");
  delete globalThis.document;
});
