// Moments are said in the tray's zone, whatever the browser's is.
import assert from "node:assert/strict";
import test from "node:test";
import "../browser.js";

document.querySelector = () => ({ content: "Pacific/Kiritimati" });
process.env.TZ = "America/New_York";
const { dayWords, timeWords, zone } = await import("../../../../device/web/ui/lib/moments.js");

test("a moment is said in the tray's zone", () => {
  assert.equal(zone, "Pacific/Kiritimati");
  assert.equal(dayWords("2026-01-31T11:30:00+00:00"), "2026-02-01", "as in the printed story");
  assert.equal(timeWords("2026-01-31T11:30:00+00:00"), "01:30");
  assert.equal(timeWords("nonsense"), "");
});
