// @ts-check
// Whether this phone wakes for its player's turn, and notifications, which browsers allow over https and on the tray
// itself alone.

import { keep, kept } from "./kept.js";

const OFF = "wake";
const TAG = "turn";

export const isWakeOn = () => kept(OFF) === null;

/** @param {boolean} isOn */
export const keepWake = (isOn) => keep(OFF, isOn ? "" : "off");

/** What the browser says of notifications: "granted", "denied", "default", or "none" where there are none. */
export function notices() {
  return globalThis.isSecureContext && navigator.serviceWorker
    ? (globalThis.Notification?.permission ?? "none")
    : "none";
}

/** Whether a hidden page shows notifications, and so must stay connected. */
export const mayNotify = () => notices() === "granted" && isWakeOn();

export const askForNotices = () => Notification.requestPermission();

/** @param {string} text */
export async function showNotice(text) {
  const worker = await navigator.serviceWorker.getRegistration();
  await worker?.showNotification(text, { tag: TAG, icon: "/static/ui/icons/icon-192.png", requireInteraction: true });
}

export async function removeNotices() {
  if (notices() !== "granted") return;
  const worker = await navigator.serviceWorker.getRegistration();
  for (const notice of (await worker?.getNotifications({ tag: TAG })) ?? []) notice.close();
}
