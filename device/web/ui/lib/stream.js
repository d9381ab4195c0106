// @ts-check
// An event stream that is kept open: reopened after a refusal or missed heartbeats. Runs in a page and in the shared
// worker.

/** @import { Stream, StreamNews } from "./types.js" */

const REFUSED_MS = 3000;
// A browser may reuse a kept connection that is just as silent; the next attempt takes another.
const PAUSE_MS = 2000;

/** Keeps a stream open; it delivers {@link StreamNews}. @param {(news: StreamNews) => void} report @returns {Stream} */
export function keepStream(report, address = "/api/events?beats=1") {
  /** @type {EventSource} */
  let source;
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  let openedAt = 0;

  function open() {
    clearTimeout(timer);
    source?.close();
    openedAt = performance.now();
    source = new EventSource(address);
    source.addEventListener("open", () => report({ kind: "open" }));
    source.addEventListener("message", (event) => report({ kind: "snapshot", text: event.data }));
    source.addEventListener("beat", (event) => report({ kind: "beat", beatMs: 1000 * Number(event.lastEventId) }));
    const mine = source;
    source.addEventListener("error", () => {
      if (mine !== source) return;
      report({ kind: "broken" });
      // Browsers reconnect automatically after a break, but not after a refusal.
      if (mine.readyState === EventSource.CLOSED) timer = setTimeout(open, REFUSED_MS);
    });
  }
  open();
  return {
    // Many tabs may miss the same heartbeats and ask at the same time.
    again() {
      if (performance.now() - openedAt >= PAUSE_MS) open();
    },
    close() {
      clearTimeout(timer);
      source.close();
    },
  };
}
