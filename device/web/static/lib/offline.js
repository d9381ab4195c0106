// @ts-check
// Lets the browser keep a phone's pages, where it may: over https, and on the tray itself. Over plain http browsers have no
// service workers, and the page needs the tray to be opened.

/** @returns {Promise<unknown> | null} null where this browser keeps none */
export function keepShell() {
  if (!navigator.serviceWorker) return null;
  // The word of today's files is part of the address, so that an upgrade is another worker.
  const word = new URL(import.meta.url).pathname.split("/")[2];
  return navigator.serviceWorker.register(`/service-worker.js?files=${word}`).catch(() => null);
}
