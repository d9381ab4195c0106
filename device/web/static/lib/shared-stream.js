// The worker that all tabs of a browser share: one event stream for all of them, since a browser opens no more than six
// connections to one host, and each stream holds one for as long as its tab is open.

import { keepStream } from "./stream.js";

// The address of the stream, which says the language of those who share it.
const address = new URLSearchParams(location.search).get("stream") ?? undefined;

const ports = new Set();
let latest = null;
let heardAt = 0;

const stream = keepStream((told) => {
  if (told.text) {
    latest = told.text;
    heardAt = performance.now();
  }
  for (const port of ports) port.postMessage(told);
}, address);

function onWish({ data, target }) {
  if (data === "bye") ports.delete(target);
  if (data !== "again") return;
  target.postMessage({ kind: "here" });
  stream.again();
}

self.addEventListener("connect", ({ ports: [port] }) => {
  ports.add(port);
  port.addEventListener("message", onWish);
  port.start();
  port.postMessage({ kind: "here" });
  if (latest === null) return;
  port.postMessage({ kind: "open" });
  port.postMessage({ kind: "snapshot", text: latest, ageMs: performance.now() - heardAt });
});
