import { answerFetch, happen } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import "../../../../device/web/ui/lib/reachable.js";

class Link extends Element {
  href = "http://tray.lan/sheets";
  closest = () => this;
}

async function tap(isServed) {
  const gone = [];
  globalThis.location = { origin: "http://tray.lan", assign: (href) => gone.push(href) };
  document.querySelector = () => ({ content: "/ /sheets" });
  answerFetch(() => (isServed ? {} : Promise.reject(new TypeError("no network"))));
  const event = new Event("click", { cancelable: true });
  Object.defineProperty(event, "target", { value: new Link() });
  happen(event);
  await new Promise((done) => setImmediate(done));
  return [event.defaultPrevented, gone];
}

test("a browser follows links on its own", async () => {
  assert.deepEqual(await tap(true), [false, []]);
});

test("a kiosk follows a link only while the tray answers", async () => {
  document.documentElement.dataset.kiosk = "";
  assert.deepEqual(await tap(true), [true, ["http://tray.lan/sheets"]]);
  assert.deepEqual(await tap(false), [true, []]);
});
