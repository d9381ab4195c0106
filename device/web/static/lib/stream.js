// @ts-check
// One event stream of the tray, kept open: opened anew where the tray refused it, or where somebody misses its beats. Runs
// in a page as well as in the worker that all tabs share.

/** @import { Stream, StreamNews } from "./types.js" */

const REFUSED_MS = 3000;
// A browser may try a connection that it had kept and that is as silent as the last one; the next try takes another.
const PAUSE_MS = 2000;

/**
 * Keeps a stream open; what it brings is a {@link StreamNews}.
 * @param {(news: StreamNews) => void} report
 * @returns {Stream}
 */
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
      // A browser tries again by itself where the connection broke, but not where the tray refused it.
      if (mine.readyState === EventSource.CLOSED) timer = setTimeout(open, REFUSED_MS);
    });
  }
  open();
  return {
    // Many tabs may miss the same beats, and ask at the same time.
    again() {
      if (performance.now() - openedAt >= PAUSE_MS) open();
    },
    close() {
      clearTimeout(timer);
      source.close();
    },
  };
}
