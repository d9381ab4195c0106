// @ts-check
// The tray's API: requests out, snapshots in. A refused request returns its reason as text.

import { keepLink } from "./link.js";
import "./reachable.js";
import { spoken, t } from "./texts.js";

/** @import { Answer, Snapshot } from "./types.js" */

// A throw waits up to six seconds for the simulated hand; nothing takes longer.
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
 * @param {object} [body] JSON, or a file as a blob of its type
 * @returns {Promise<Answer>} what was answered, or why it was refused
 */
export async function ask(method, path, body, withinMs = ANSWER_MS) {
  if (isLost && method !== "GET") return { ok: false, reason: "lost", text: t("page.lost.refused") };
  /** @type {RequestInit & { headers: Record<string, string> }} */
  const options = { method, headers: {}, signal: AbortSignal.timeout(withinMs) };
  if (body instanceof Blob) {
    options.headers["content-type"] = body.type;
    options.body = body;
  } else if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response, content;
  try {
    response = await fetch(spoken(path), options);
    const { ok } = response;
    content = await response.json().catch((error) => {
      // A refusal counts even without its text; a broken response does not.
      if (ok || isTimeout(error)) throw error;
      return {};
    });
  } catch (error) {
    const isSlow = isTimeout(error);
    return { ok: false, reason: "no_answer", text: t(isSlow ? "page.lost.slow" : "page.lost.no_answer") };
  }
  if (response.ok) return { ok: true, snapshot: content };
  if (content.reason === "not_paired") dispatchEvent(new Event("not-paired"));
  return {
    ok: false,
    reason: content.reason,
    text: content.error ?? t("page.lost.status", { status: response.status }),
    ...("nearest" in content && { nearest: content.nearest }),
  };
}

/** @param {unknown} error */
const isTimeout = (error) => error instanceof DOMException && error.name === "TimeoutError";

/**
 * The same for requests about the dice on this page; refused if they have changed.
 * @param {string} method
 * @param {string} path
 * @param {object} [content]
 */
export async function askSeen(method, path, content = {}) {
  const answer =
    method === "DELETE"
      ? await ask(method, `${path}?version=${shown}`)
      : await ask(method, path, { ...content, version: shown });
  if (answer.ok) hear(answer.snapshot);
  if (answer.reason === "stale") {
    const latest = await ask("GET", "/api/state");
    if (latest.ok) hear(latest.snapshot);
  }
  return answer;
}

// After an upgrade the tray has other files than this page, and parts loaded later must fit. Only files with the current
// version in their URL are cached permanently.
async function renewAfterUpgrade() {
  const answer = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.ok && !answer.headers.get("cache-control")?.includes("immutable")) location.reload();
}

/**
 * Calls onSnapshot with every state and whether it is the first of a connection, onLost(true or false) when the first
 * news comes and when the connection is lost or restored.
 * Returns a handler for snapshots in responses, which may arrive before the stream has them.
 * @param {(snapshot: Snapshot, isFirst: boolean) => void} onSnapshot
 * @param {(lost: boolean) => void} onLost
 * @returns {(snapshot: Snapshot) => void}
 */
export function listen(onSnapshot, onLost) {
  /** @param {Snapshot} snapshot */
  function show(snapshot, isFirst = false) {
    // Not a snapshot, or one that is shown already or outdated.
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
