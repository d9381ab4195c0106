import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = new URL("http://tray.local/");
const { nextWords } = await import("../../../../device/web/ui/components/turns.js");

const roll = (owner) => ({ id: 1, owner, label: null });

test("the display names the next two, and how many wait behind them", () => {
  assert.equal(nextWords([roll("Zo")]), "Next: Zo");
  assert.equal(nextWords([roll("Zo"), roll("Bo")]), "Next: Zo, then Bo");
  assert.equal(nextWords([roll("Zo"), roll("Bo"), roll("Flo")]), "Next: Zo, then Bo, 1 more");
});
