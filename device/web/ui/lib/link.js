// @ts-check
// A page's connection to the tray: the stream shared by all tabs, else its own, which pauses while the page is hidden.
// Either way it detects silence, even if no connection broke.

import { keepStream } from "./stream.js";
import { spoken } from "./texts.js";
import { mayNotify } from "./wake.js";

/** @import { Link, Snapshot, StreamNews } from "./types.js" */

const MISSED_BEATS = 3;
const SLACK_MS = 1000;
// Until the first heartbeat tells how often they come.
const FIRST_BEAT_MS = 4000;
const BLINK_MS = 700;
const WORKER_MS = 8000;
const SOON_MS = 2500;

const ENGLISH = "/api/events?beats=1";
const STREAM = spoken(ENGLISH);

function sharedAddress() {
  const address = new URL("./shared-stream.js", import.meta.url);
  // Tabs in another language share another worker, since the stream has a language.
  if (STREAM !== ENGLISH) address.searchParams.set("stream", STREAM);
  return address;
}

/** @param {(news: StreamNews) => void} report @param {() => void} onUseless @returns {Link} */
function sharedStream(report, onUseless) {
  const worker = new SharedWorker(sharedAddress(), { type: "module", name: "pushtray" });
  const { port } = worker;
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const expect = () => {
    clearTimeout(timer);
    timer = setTimeout(onUseless, WORKER_MS);
  };
  port.addEventListener("message", ({ data }) => {
    clearTimeout(timer);
    if (data.kind !== "here") report(data);
  });
  worker.addEventListener("error", onUseless);
  port.start();
  expect();
  return {
    rests: false,
    again() {
      port.postMessage("again");
      expect();
    },
    close() {
      clearTimeout(timer);
      worker.removeEventListener("error", onUseless);
      port.postMessage("bye");
      port.close();
    },
  };
}

/** @param {(news: StreamNews) => void} report @returns {Link} */
function ownStream(report) {
  /** @type {ReturnType<typeof keepStream> | null} */
  let stream = null;
  function follow() {
    if (document.hidden && !mayNotify()) {
      stream?.close();
      stream = null;
    } else stream ??= keepStream(report, STREAM);
  }
  document.addEventListener("visibilitychange", follow);
  follow();
  return {
    get rests() {
      return stream === null;
    },
    again: () => stream?.again(),
    close() {
      document.removeEventListener("visibilitychange", follow);
      stream?.close();
    },
  };
}

// One clock stops while the machine sleeps, the other may be set: the time that passed on either counts.
const moment = () => ({ steady: performance.now(), wall: Date.now() });

/**
 * Calls onSnapshot with each snapshot and whether it is the first of a connection; onLost(true or false) when the first
 * news comes, and when the connection is lost or restored.
 * @param {(snapshot: Snapshot, isFirst: boolean) => void} onSnapshot
 * @param {(lost: boolean) => void} onLost
 */
export function keepLink(onSnapshot, onLost) {
  let beatMs = FIRST_BEAT_MS;
  let isFirst = true;
  /** @type {boolean | undefined} */
  let isLost;
  /** @type {Link} */
  let link;
  /** @type {ReturnType<typeof setTimeout>} */
  let watch;
  /** @type {ReturnType<typeof setTimeout>} */
  let blink;
  let heard = moment();

  const silentMs = () => Math.max(performance.now() - heard.steady, Date.now() - heard.wall);
  const patienceMs = () => MISSED_BEATS * beatMs + SLACK_MS;

  /** @param {boolean} lost */
  function setLost(lost) {
    clearTimeout(blink);
    if (lost === isLost) return;
    isLost = lost;
    onLost(lost);
  }

  function look() {
    clearTimeout(watch);
    const isSilent = !link.rests && silentMs() >= patienceMs();
    if (isSilent) {
      setLost(true);
      link.again();
    }
    watch = setTimeout(look, isSilent ? SOON_MS : Math.min(beatMs, Math.max(50, patienceMs() - silentMs())));
  }

  /** @param {number} afterMs */
  function loseSoon(afterMs) {
    clearTimeout(blink);
    blink = setTimeout(() => setLost(true), afterMs);
  }

  /** @param {StreamNews} news */
  function report({ kind, text, beatMs: pause, ageMs = 0 }) {
    if (kind === "broken") loseSoon(BLINK_MS);
    // A restarted tray counts its versions from another number.
    if (kind === "open") isFirst = true;
    if (text === undefined && !pause) return;
    heard = moment();
    heard.steady -= ageMs;
    heard.wall -= ageMs;
    beatMs = pause || beatMs;
    if (silentMs() < patienceMs()) setLost(false);
    if (text === undefined) return;
    onSnapshot(JSON.parse(text), isFirst);
    isFirst = false;
  }

  function connect() {
    try {
      link = sharedStream(report, () => {
        link.close();
        link = ownStream(report);
      });
    } catch {
      // This browser has no shared workers, or not for pages of this kind.
      link = ownStream(report);
    }
  }

  // A page that was away may be outdated: it asks at once, and soon says so if nothing comes.
  function again() {
    link.again();
    if (!link.rests) loseSoon(SOON_MS);
  }

  connect();
  look();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && silentMs() > beatMs + SLACK_MS) again();
  });
  addEventListener("online", again);
  // A page in the back/forward cache must not keep a stream open.
  addEventListener("pagehide", () => link.close());
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    link.close();
    connect();
    again();
  });
}
