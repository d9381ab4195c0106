import { speak } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

speak("en");
const { fittingSize, isShown, overlayOptions } =
  await import("../../../../device/web/features/overlay/lib/overlay-options.js");
const { t } = await import("../../../../device/web/ui/lib/texts.js");

const USUAL = { size: 100, corner: "bottom-left", hasName: true, only: "all" };

test("without options the overlay is as it always was", () => {
  assert.deepEqual(overlayOptions(""), { options: USUAL, wrong: "" });
  assert.deepEqual(overlayOptions("?lang=de"), { options: USUAL, wrong: "" });
});

test("every option is taken from the address", () => {
  const parsed = overlayOptions("?size=150&corner=top-right&name=off&only=results");
  assert.deepEqual(parsed, { options: { size: 150, corner: "top-right", hasName: false, only: "results" }, wrong: "" });
  assert.equal(overlayOptions("?size=80%25").options.size, 80);
});

test("sizes end where nothing can be read or nothing fits", () => {
  for (const size of ["25", "400"]) assert.equal(overlayOptions(`?size=${size}`).wrong, "");
  for (const size of ["24", "401", "0", "-50", "1e2", "150px", "", "1.5"]) {
    const { options, wrong } = overlayOptions(`?size=${size}`);
    assert.equal(wrong, t("page.overlay.bad_size", { value: size, least: 25, most: 400 }));
    assert.equal(options.size, 100);
  }
});

test("a value that is none is told in one line, with those that are", () => {
  assert.equal(
    overlayOptions("?corner=middle").wrong,
    "corner is middle: choose one of bottom-left, bottom-right, top-left, top-right",
  );
  assert.equal(overlayOptions("?name=Ann").wrong, "name is Ann: choose one of on, off");
  assert.equal(overlayOptions("?only=dice").wrong, "only is dice: choose one of all, results");
});

test("an option that is none is told, and the first that is wrong alone", () => {
  assert.equal(
    overlayOptions("?conrer=top-left").wrong,
    t("page.overlay.unknown", { name: "conrer", known: ["size", "corner", "name", "only"] }),
  );
  assert.equal(
    overlayOptions("?size=9&corner=middle").wrong,
    t("page.overlay.bad_size", { value: 9, least: 25, most: 400 }),
  );
});

test("what is wrong leaves the other options as they were asked for", () => {
  assert.deepEqual(overlayOptions("?size=huge&corner=top-left").options, { ...USUAL, corner: "top-left" });
});

test("an empty tray has no plate, and with results alone neither have dice that roll", () => {
  const results = { ...USUAL, only: "results" };
  assert.equal(isShown({ state: "empty", outcome: null }, USUAL), false);
  assert.equal(isShown({ state: "rolling", outcome: null }, USUAL), true);
  assert.equal(isShown({ state: "rolling", outcome: null }, results), false);
  assert.equal(isShown({ state: "unclear", outcome: null }, results), false);
  assert.equal(isShown({ state: "scored", outcome: { successes: 0 } }, results), true);
});

test("a plate is never wider than its window", () => {
  assert.equal(fittingSize({ ...USUAL, size: 200 }, 1920), 2);
  assert.equal(fittingSize({ ...USUAL, size: 200 }, 585), 1.5);
  assert.equal(fittingSize({ ...USUAL, size: 50 }, 390), 0.5);
});
