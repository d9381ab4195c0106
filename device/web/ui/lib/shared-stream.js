// @ts-check
// The worker shared by all tabs of a browser: one event stream for all of them, since a browser opens at most six
// connections to one host, and each stream occupies one.

import { keepStream } from "./stream.js";

// The URL of the stream, with the language of its tabs.
const address = new URLSearchParams(location.search).get("stream") ?? undefined;

/** @type {Set<MessagePort>} */
const ports = new Set();
/** @type {string | null} */
let latest = null;
let heardAt = 0;

const stream = keepStream((news) => {
  latest = news.text ?? latest;
  if (news.text || news.beatMs) heardAt = performance.now();
  for (const port of ports) port.postMessage(news);
}, address);

/** @param {MessageEvent} event */
function onMessage({ data, target }) {
  if (!(target instanceof MessagePort)) return;
  if (data === "bye") ports.delete(target);
  if (data !== "again") return;
  target.postMessage({ kind: "here" });
  stream.again();
}

self.addEventListener("connect", (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  ports.add(port);
  port.addEventListener("message", onMessage);
  port.start();
  port.postMessage({ kind: "here" });
  if (latest === null) return;
  port.postMessage({ kind: "open" });
  port.postMessage({ kind: "snapshot", text: latest, ageMs: performance.now() - heardAt });
});
