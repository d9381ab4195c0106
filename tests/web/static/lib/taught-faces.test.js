import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { faceOf, loadFaces, rememberRule, taughtSides } from "../../../../device/web/ui/lib/taught-faces.js";

test("pictures of taught faces by class and value, kept where the tray does not answer", async () => {
  let told = 0;
  globalThis.dispatchEvent = () => Boolean(++told);
  assert.equal(rememberRule(), "never");
  const face = { colour: "base", sides: 6, value: 6, picture: "data:six" };
  const eight = { ...face, sides: 8, picture: "data:d8" };
  globalThis.fetch = async () => new Response(JSON.stringify({ remember: "ask", faces: [face, eight] }));
  await loadFaces();
  assert.deepEqual(
    [rememberRule(), faceOf("base", 6), faceOf("base", 6, 8), faceOf("base", 5), faceOf("skill", 6), taughtSides()],
    ["ask", "data:six", "data:d8", undefined, undefined, [6, 8]],
  );
  globalThis.fetch = async () => {
    throw new TypeError("no way there");
  };
  await loadFaces();
  assert.deepEqual([faceOf("base", 6), told], ["data:six", 1]);
});
