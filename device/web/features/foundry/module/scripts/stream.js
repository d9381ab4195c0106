// @ts-check
// The tray's event stream, from another host: reconnects with back-off and reports each problem once.

/** @import { TrayState } from "./throws.js" */

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** The tray's normalised address; empty if it is not valid. @param {string} text */
export function trayAddress(text) {
  try {
    const { protocol, host, pathname } = new URL(text.trim());
    return ["http:", "https:"].includes(protocol) ? `${protocol}//${host}${pathname.replace(/\/+$/, "")}` : "";
  } catch {
    return "";
  }
}

/** Whether a browser would block a page of that address from the tray. @param {string} page @param {string} tray */
export function isBlocked(page, tray) {
  const { protocol, hostname } = new URL(tray);
  const isOwn = hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\]$)/.test(hostname);
  return page.startsWith("https:") && protocol === "http:" && !isOwn;
}

/**
 * @param {string} tray its address
 * @param {{ onState: (state: TrayState) => void, onLost: (isFirst: boolean) => void, onBack: () => void }} on
 * @returns {() => void} ends it
 */
export function hearTray(tray, { onState, onLost, onBack }) {
  /** @type {EventSource} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pauseMs = FIRST_PAUSE_MS;
  let isLost = false;

  /** @param {Event} event */
  function take(event) {
    pauseMs = FIRST_PAUSE_MS;
    if (isLost) onBack();
    isLost = false;
    onState(JSON.parse(/** @type {MessageEvent} */ (event).data));
  }
  function lose() {
    source.close();
    onLost(!isLost);
    isLost = true;
    timer = setTimeout(open, pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
  function open() {
    source = new EventSource(`${tray}/api/events`);
    source.addEventListener("message", take);
    source.addEventListener("error", lose);
  }
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
