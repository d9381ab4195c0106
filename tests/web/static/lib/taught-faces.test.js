import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { faceOf, loadFaces, rememberRule } from "../../../../device/web/ui/lib/taught-faces.js";

test("pictures of taught faces by class and value, kept where the tray does not answer", async () => {
  let told = 0;
  globalThis.dispatchEvent = () => Boolean(++told);
  assert.equal(rememberRule(), "never");
  const face = { colour: "base", value: 6, picture: "data:six" };
  globalThis.fetch = async () => new Response(JSON.stringify({ remember: "ask", faces: [face] }));
  await loadFaces();
  assert.deepEqual(
    [rememberRule(), faceOf("base", 6), faceOf("base", 5), faceOf("skill", 6)],
    ["ask", "data:six", undefined, undefined],
  );
  globalThis.fetch = async () => {
    throw new TypeError("no way there");
  };
  await loadFaces();
  assert.deepEqual([faceOf("base", 6), told], ["data:six", 1]);
});
