// Moments are said in the tray's zone, whatever the browser's is.
import assert from "node:assert/strict";
import test from "node:test";
import "../browser.js";

document.querySelector = () => ({ content: "Pacific/Kiritimati" });
process.env.TZ = "America/New_York";
const { dayWords, timeWords, zone } = await import("../../../../device/web/ui/lib/moments.js");

test("a moment is said in the tray's zone", () => {
  assert.equal(zone, "Pacific/Kiritimati");
  assert.match(dayWords("2026-01-31T11:30:00+00:00"), /02.01.2026|01.02.2026/);
  assert.match(timeWords("2026-01-31T11:30:00+00:00"), /^0?1:30/);
  assert.equal(timeWords("nonsense"), "");
});
