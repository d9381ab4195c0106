import assert from "node:assert/strict";
import { test } from "node:test";
import { keep, kept } from "../../../../device/web/ui/lib/kept.js";

test("a text is kept until it is empty; where storage is off, nothing is and nothing fails", () => {
  const all = new Map();
  globalThis.localStorage = {
    getItem: (key) => all.get(key) ?? null,
    setItem: (key, text) => all.set(key, text),
    removeItem: (key) => all.delete(key),
  };
  keep("name", "Ann");
  assert.equal(kept("name"), "Ann");
  keep("name", "");
  assert.equal(kept("name"), null);
  const off = () => {
    throw new Error("off");
  };
  globalThis.localStorage = { getItem: off, setItem: off, removeItem: off };
  keep("name", "Ann");
  assert.equal(kept("name"), null);
});
