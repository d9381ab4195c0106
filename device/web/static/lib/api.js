// @ts-check
// Talking to the tray: requests out, snapshots in. A request that is refused comes back with its reason in words.

import { keepLink } from "./link.js";
import "./reachable.js";
import { spoken, t } from "./texts.js";

/** @import { Answer, Snapshot } from "./types.js" */

// A throw waits for the simulated hand, up to six seconds; nothing takes longer.
const ANSWER_MS = 12000;

/** @type {number | null} */
let shown = null;
let isLost = false;
/** @type {(snapshot: Snapshot) => void} */
let hear = () => {};

/**
 * Sends one request.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer>} what was answered, or why it was refused
 */
export async function ask(method, path, body, withinMs = ANSWER_MS) {
  if (isLost && method !== "GET") return { ok: false, reason: "lost", text: t("page.lost.refused") };
  /** @type {RequestInit & { headers: Record<string, string> }} */
  const options = { method, headers: {}, signal: AbortSignal.timeout(withinMs) };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response, said;
  try {
    response = await fetch(spoken(path), options);
    const { ok } = response;
    said = await response.json().catch((error) => {
      // A refusal is one without its words, too; an answer that broke off is none.
      if (ok || isTimeout(error)) throw error;
      return {};
    });
  } catch (error) {
    const isSlow = isTimeout(error);
    return { ok: false, reason: "no_answer", text: t(isSlow ? "page.lost.slow" : "page.lost.no_answer") };
  }
  if (response.ok) return { ok: true, snapshot: said };
  if (said.reason === "not_paired") dispatchEvent(new Event("not-paired"));
  return {
    ok: false,
    reason: said.reason,
    text: said.error ?? t("page.lost.status", { status: response.status }),
    ...("nearest" in said && { nearest: said.nearest }),
  };
}

/** @param {unknown} error */
const isTimeout = (error) => error instanceof DOMException && error.name === "TimeoutError";

/**
 * The same for what somebody wants of the dice as this page shows them: refused where others lie there by now.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
export async function askSeen(method, path, body = {}) {
  const answer =
    method === "DELETE"
      ? await ask(method, `${path}?version=${shown}`)
      : await ask(method, path, { ...body, version: shown });
  if (answer.ok) hear(answer.snapshot);
  if (answer.reason === "stale") {
    const latest = await ask("GET", "/api/state");
    if (latest.ok) hear(latest.snapshot);
  }
  return answer;
}

// After an upgrade the tray has other files than this page, and what is loaded later must fit what is here already. Files
// under the word of today are marked to be kept for good, those under another one are not.
async function renewAfterUpgrade() {
  const answer = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.ok && !answer.headers.get("cache-control")?.includes("immutable")) location.reload();
}

/**
 * Calls onSnapshot with every state and whether it is the first one of a connection, onLost(true or false) when the tray is
 * not heard any more and when it is again.
 * Gives back what hears the snapshot that a request is answered with: it may be here before the stream brings it.
 * @param {(snapshot: Snapshot, isFirst: boolean) => void} onSnapshot
 * @param {(lost: boolean) => void} onLost
 * @returns {(snapshot: Snapshot) => void}
 */
export function listen(onSnapshot, onLost) {
  /** @param {Snapshot} snapshot */
  function show(snapshot, isFirst = false) {
    // An answer that is no snapshot, or one that the page shows, or has overtaken, already.
    if (snapshot.version === undefined || (!isFirst && shown !== null && snapshot.version <= shown)) return;
    if (isFirst && shown !== null) renewAfterUpgrade();
    shown = snapshot.version;
    onSnapshot(snapshot, isFirst);
  }
  hear = show;
  keepLink(show, (lost) => {
    isLost = lost;
    onLost(lost);
  });
  return (snapshot) => show(snapshot);
}
