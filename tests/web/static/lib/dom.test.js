import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { byId, valueOf } from "../../../../device/web/ui/lib/dom.js";

test("an element is of the kind that was asked for", () => {
  class Button extends HTMLElement {}
  const push = (document.elements.push = new Button());
  assert.equal(byId("push"), push);
  assert.equal(byId("push", Button), push);
  assert.throws(() => byId("push", class Dialog extends HTMLElement {}), /#push is no Dialog/);
  assert.throws(() => byId("none"), /#none is no element/);
});

test("the value of a field is that of the event's target", () => {
  assert.equal(valueOf({ target: { value: "4" } }), "4");
});

test("a phone is somebody's own, the display on the table is not", async () => {
  const at = async (path) => {
    globalThis.location = new URL(`http://tray.local${path}`);
    return (await import(`../../../../device/web/ui/lib/dom.js?${path}`)).isPhone;
  };
  assert.deepEqual([await at("/phone?lang=de"), await at("/")], [true, false]);
});
