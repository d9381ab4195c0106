import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isWakeOn,
  keepWake,
  mayNotify,
  notices,
  removeNotices,
  showNotice,
} from "../../../../device/web/ui/lib/wake.js";

const kept = new Map();
const shown = [];
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => kept.set(key, value),
  removeItem: (key) => kept.delete(key),
};

/** A browser over http has no service worker; one that is asked answers with `permission`. */
function browserWith(isSecureContext, permission) {
  const worker = {
    showNotification: async (text, { tag }) => shown.push({ text, tag, close: () => shown.pop() }),
    getNotifications: async ({ tag }) => shown.filter((one) => one.tag === tag),
  };
  const serviceWorker = isSecureContext ? { getRegistration: async () => worker } : undefined;
  Object.assign(globalThis, { isSecureContext, Notification: permission && { permission } });
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
}

test("a phone wakes unless its player switched that off", () => {
  assert.equal(isWakeOn(), true);
  keepWake(false);
  assert.equal(isWakeOn(), false);
  keepWake(true);
  assert.equal(isWakeOn(), true);
});

test("notifications need https, a browser that has them, and leave", () => {
  browserWith(false, "granted");
  assert.equal(notices(), "none");
  browserWith(true);
  assert.equal(notices(), "none");
  browserWith(true, "denied");
  assert.deepEqual([notices(), mayNotify()], ["denied", false]);
  browserWith(true, "granted");
  assert.deepEqual([notices(), mayNotify()], ["granted", true]);
  keepWake(false);
  assert.equal(mayNotify(), false);
  keepWake(true);
});

test("one notification is shown, and goes with the turn", async () => {
  browserWith(true, "granted");
  await showNotice("Your turn, Ann");
  assert.deepEqual(
    shown.map(({ text }) => text),
    ["Your turn, Ann"],
  );
  await removeNotices();
  assert.equal(shown.length, 0);
  browserWith(false);
  await removeNotices();
});
