import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepShell } from "../../../../device/web/ui/lib/offline.js";

/** @param {object} [serviceWorker] */
function browserWith(serviceWorker) {
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
}

test("a browser that may keep pages is told which files are today's", async () => {
  const registered = [];
  browserWith({ register: (path) => Promise.resolve(registered.push(path)) });
  await keepShell();
  assert.equal(registered.length, 1);
  assert.match(registered[0], /^\/service-worker\.js\?files=./);
});

test("one that keeps none, as over plain http, or refuses, is left in peace", async () => {
  browserWith(undefined);
  assert.equal(keepShell(), null);
  browserWith({ register: () => Promise.reject(new Error("off")) });
  assert.equal(await keepShell(), null);
});
