// @ts-check
// Lets the browser cache a phone's pages over https and on the tray itself. Over plain http browsers have no service
// workers, so the page cannot be opened without the tray.

/** @returns {Promise<unknown> | null} null where this browser keeps none */
export function keepShell() {
  if (!navigator.serviceWorker) return null;
  // The version of the files is part of the URL, so that an upgrade brings another worker.
  const word = new URL(import.meta.url).pathname.split("/")[2];
  return navigator.serviceWorker.register(`/service-worker.js?files=${word}`).catch(() => null);
}
