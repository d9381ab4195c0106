import "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "../../../../device/web/features/integrations/lib/integrations.js";
import { t } from "../../../../device/web/ui/lib/texts.js";

const on = {
  name: "mqtt",
  title: "MQTT",
  about: "",
  on: true,
  where: "broker:1883",
  connected: true,
  sent: 0,
  last_sent: null,
  waiting: 0,
  refused: 0,
  dropped: 0,
  last_error: null,
  retry_in_s: null,
};
const kinds = (one) => linesOf(one).map(([kind]) => kind);

test("how one is: where to, what was sent, what waits, what went wrong", () => {
  assert.deepEqual(linesOf({ ...on, on: false }), []);
  assert.deepEqual(kinds(on), ["where", "sent"]);
  const busy = {
    ...on,
    sent: 2,
    last_sent: "2026-01-31T19:30:05+00:00",
    waiting: 1,
    refused: 1,
    dropped: 3,
    last_error: "It hangs.",
    retry_in_s: 1.2,
  };
  assert.deepEqual(kinds(busy), ["where", "sent", "waiting", "refused", "dropped", "error", "retry"]);
  const text = Object.fromEntries(linesOf(busy));
  assert.match(text.sent, /^2 sent, the last at /);
  assert.equal(text.waiting, "1 waiting");
  assert.equal(text.dropped, t("page.integrations.line.dropped", { count: 3 }));
  assert.equal(text.error, "It hangs.");
  assert.equal(text.retry, "Next try in 2 s");
});

test("a tray is named once where its name is its part of the topics", () => {
  const named = (tray) => Object.fromEntries(linesOf({ ...on, tray })).tray;
  assert.equal(named({ id: "tray-1", name: "Left table" }), "As Left table (tray-1)");
  assert.equal(named({ id: "tray-1", name: "tray-1" }), "As tray-1");
});
