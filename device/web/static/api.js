// Talking to the tray: wishes out, snapshots in. A wish that is refused comes back with its reason in words.

import { reloadWhenServed } from "./stay.js";

export async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    return { ok: false, text: "The tray does not answer." };
  }
  const said = await response.json().catch(() => ({}));
  if (response.ok) return { ok: true, snapshot: said };
  return { ok: false, reason: said.reason, text: said.error ?? `Refused (${response.status})` };
}

// Calls onSnapshot with every state, onLost(true or false) when the connection goes and comes back. Gives back what hears
// the snapshot that a wish is answered with: it may be here before the stream tells it.
export function listen(onSnapshot, onLost) {
  let version = -1;
  let fresh = true;
  let lostTimer = 0;
  function hear(snapshot) {
    if (!fresh && snapshot.version < version) return;
    fresh = false;
    version = snapshot.version;
    onSnapshot(snapshot);
  }
  const source = new EventSource("/api/events");
  source.addEventListener("message", (event) => hear(JSON.parse(event.data)));
  source.addEventListener("open", () => {
    // A tray that was started anew counts from the beginning again.
    fresh = true;
    clearTimeout(lostTimer);
    onLost(false);
  });
  source.addEventListener("error", () => {
    clearTimeout(lostTimer);
    lostTimer = setTimeout(() => onLost(true), 700);
    if (source.readyState === EventSource.CLOSED) reloadWhenServed(3000);
  });
  return hear;
}
