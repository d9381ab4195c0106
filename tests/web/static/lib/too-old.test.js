import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";

const script = readFileSync(new URL("../../../../device/web/ui/lib/too-old.js", import.meta.url), "utf8");

/** How often a browser says that it is too old. @param {object} known What its elements know. @param {string} failed */
function shown(known, failed) {
  /** @type {Record<string, (event: object) => void>} */
  const heard = {};
  /** @type {string[]} */
  const lines = [];
  const listen = (/** @type {string} */ name, /** @type {(event: object) => void} */ act) => (heard[name] = act);
  const line = { setAttribute: () => {}, appendChild: (/** @type {string} */ text) => lines.push(text) };
  const document = {
    addEventListener: listen,
    body: { insertBefore: () => {}, firstChild: null },
    createElement: (/** @type {string} */ name) => (name === "p" ? line : known),
    createTextNode: (/** @type {string} */ text) => text,
    documentElement: { getAttribute: () => "Too old." },
  };
  const window = { addEventListener: listen, WeakRef: {} };
  runInContext(script, createContext({ document, window }));
  heard.DOMContentLoaded?.({});
  heard.error?.({ message: failed });
  return lines;
}

test("a browser that lacks what the pages need says so once, as does one that cannot read a script", () => {
  assert.deepEqual(shown({}, "SyntaxError: ?."), ["Too old."]);
  assert.deepEqual(shown({ noModule: false, showModal: null }, "SyntaxError: ?."), ["Too old."]);
  assert.deepEqual(shown({ noModule: false, showModal: null }, "TypeError: x"), []);
});
