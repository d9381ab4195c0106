// One event stream of the tray, kept open: opened anew where the tray refused it, or where somebody misses its beats. Runs
// in a page as well as in the worker that all tabs share.

const REFUSED_MS = 3000;
const PAUSE_MS = { least: 1000, most: 10000 };

// Calls tell with { kind: "open" }, { kind: "broken" }, and { kind: "snapshot" or "beat", text }.
export function keepStream(tell) {
  let source = null;
  let timer = 0;
  let openedAt = 0;
  let pause = PAUSE_MS.least;

  function hear(kind, text) {
    pause = PAUSE_MS.least;
    tell({ kind, text });
  }
  function open() {
    clearTimeout(timer);
    source?.close();
    openedAt = performance.now();
    source = new EventSource("/api/events");
    source.addEventListener("open", () => tell({ kind: "open" }));
    source.addEventListener("message", (event) => hear("snapshot", event.data));
    source.addEventListener("beat", (event) => hear("beat", event.data));
    source.addEventListener("error", ({ target }) => {
      if (target !== source) return;
      tell({ kind: "broken" });
      // A browser tries again by itself where the connection broke, but not where the tray refused it.
      if (target.readyState === EventSource.CLOSED) timer = setTimeout(open, REFUSED_MS);
    });
  }
  open();
  return {
    // Many tabs may miss the same beats, and a slow network needs its time: not sooner than a growing pause allows.
    again() {
      if (performance.now() - openedAt < pause) return;
      pause = Math.min(2 * pause, PAUSE_MS.most);
      open();
    },
    close() {
      clearTimeout(timer);
      source.close();
    },
  };
}
