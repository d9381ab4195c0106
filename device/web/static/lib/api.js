// Talking to the tray: wishes out, snapshots in. A wish that is refused comes back with its reason in words.

import { keepLink } from "./link.js";
import "./reachable.js";
import { spoken, t } from "./texts.js";

// A throw waits for the simulated hand, up to six seconds; nothing takes longer.
const ANSWER_MS = 12000;

let shown = null;
let isLost = false;
let hear = () => {};

export async function ask(method, path, body, withinMs = ANSWER_MS) {
  if (isLost && method !== "GET") return { ok: false, reason: "lost", text: t("page.lost.refused") };
  const options = { method, headers: {}, signal: AbortSignal.timeout(withinMs) };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  let said;
  try {
    response = await fetch(spoken(path), options);
    said = await response.json().catch((error) => {
      if (error.name === "TimeoutError") throw error;
      return {};
    });
  } catch (error) {
    const isSlow = error.name === "TimeoutError";
    return { ok: false, reason: "no_answer", text: t(isSlow ? "page.lost.slow" : "page.lost.no_answer") };
  }
  if (response.ok) return { ok: true, snapshot: said };
  return { ok: false, reason: said.reason, text: said.error ?? t("page.lost.status", { status: response.status }) };
}

// The same for what somebody wants of the dice as this page shows them: refused where others lie there by now.
export async function askSeen(method, path, body = {}) {
  const answer = method === "DELETE" ? await ask(method, `${path}?version=${shown}`) : await ask(method, path, { ...body, version: shown });
  if (answer.ok) hear(answer.snapshot);
  if (answer.reason === "stale") {
    const latest = await ask("GET", "/api/state");
    if (latest.ok) hear(latest.snapshot);
  }
  return answer;
}

// Calls onSnapshot with every state, onLost(true or false) when the tray is not heard any more and when it is again.
// Gives back what hears the snapshot that a wish is answered with: it may be here before the stream tells it.
export function listen(onSnapshot, onLost) {
  function show(snapshot, isFirst = false) {
    // An answer that is no snapshot, or one that a newer one has overtaken.
    if (snapshot.version === undefined || (!isFirst && shown !== null && snapshot.version < shown)) return;
    shown = snapshot.version;
    onSnapshot(snapshot);
  }
  hear = show;
  keepLink(show, (lost) => {
    isLost = lost;
    onLost(lost);
  });
  return (snapshot) => show(snapshot);
}
