// One event stream of the tray, kept open: opened anew where the tray refused it, or where somebody misses its beats. Runs
// in a page as well as in the worker that all tabs share.

const REFUSED_MS = 3000;
// A browser may try a connection that it had kept and that is as silent as the last one; the next try takes another.
const PAUSE_MS = 2000;

// Calls tell with { kind: "open" }, { kind: "broken" }, and { kind: "snapshot" or "beat", text }.
export function keepStream(tell, address = "/api/events") {
  let source = null;
  let timer = 0;
  let openedAt = 0;

  function open() {
    clearTimeout(timer);
    source?.close();
    openedAt = performance.now();
    source = new EventSource(address);
    source.addEventListener("open", () => tell({ kind: "open" }));
    source.addEventListener("message", (event) => tell({ kind: "snapshot", text: event.data }));
    source.addEventListener("beat", (event) => tell({ kind: "beat", text: event.data }));
    source.addEventListener("error", ({ target }) => {
      if (target !== source) return;
      tell({ kind: "broken" });
      // A browser tries again by itself where the connection broke, but not where the tray refused it.
      if (target.readyState === EventSource.CLOSED) timer = setTimeout(open, REFUSED_MS);
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
