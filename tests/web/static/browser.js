// What page modules need of a browser to be loaded without one, and what tests need to look at them. Import it first.

import { readdirSync, readFileSync } from "node:fs";

const listeners = new EventTarget();

/** A clock that only a test turns: it stands for timers, performance.now and Date.now. */
export const clock = {
  now: 0,
  timers: new Map(),
  next: 1,
  async turn(ms) {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.timers].filter(([, one]) => one.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.now = Math.max(this.now, due[1].at);
      due[1].run();
      await Promise.resolve();
    }
    this.now = end;
  },
};
export function holdClock() {
  globalThis.setTimeout = (run, ms = 0) => {
    clock.timers.set(clock.next, { at: clock.now + ms, run });
    return clock.next++;
  };
  globalThis.clearTimeout = (id) => clock.timers.delete(id);
  Object.defineProperty(performance, "now", { value: () => clock.now });
  Date.now = () => 1_900_000_000_000 + clock.now;
}

class Element {}
globalThis.Element = Element;
globalThis.HTMLElement = class HTMLElement extends Element {};
globalThis.matchMedia = () => ({ matches: false });
globalThis.document = {
  hidden: false,
  elements: {},
  documentElement: { dataset: {}, lang: "en" },
  getElementById: (id) => globalThis.document.elements[id] ?? null,
  createComment: () => ({}),
  createTreeWalker: () => ({}),
  addEventListener: listeners.addEventListener.bind(listeners),
  removeEventListener: listeners.removeEventListener.bind(listeners),
};
globalThis.location = new URL("http://tray.local/");
const windowEvents = new EventTarget();
globalThis.addEventListener = windowEvents.addEventListener.bind(windowEvents);
/** Tells the page, or its window, of an event. */
export function happen(event, target = listeners) {
  target.dispatchEvent(typeof event === "string" ? new Event(event) : event);
}
export const onWindow = (event) => happen(event, windowEvents);

/** An event stream that a test lets speak. */
export class FakeEventSource extends EventTarget {
  static CLOSED = 2;
  static all = [];
  readyState = 0;
  constructor(url) {
    super();
    this.url = url;
    FakeEventSource.all.push(this);
  }
  static get last() {
    return FakeEventSource.all.at(-1);
  }
  close() {
    this.readyState = FakeEventSource.CLOSED;
  }
  say(kind, data, lastEventId = "4.0") {
    this.dispatchEvent(
      Object.assign(new Event(kind), { lastEventId, data: typeof data === "object" ? JSON.stringify(data) : data }),
    );
  }
}
globalThis.EventSource = FakeEventSource;

/** Lets the pages' texts be those of a catalogue of device/texts, as the tray gives them (device/texts/catalogue.py). */
export function speak(language) {
  const folder = new URL(`../../../device/texts/languages/${language}/`, import.meta.url);
  const join = (tree, more) => {
    for (const [key, part] of Object.entries(more))
      tree[key] = typeof part === "string" || Array.isArray(part) ? part : join(tree[key] ?? {}, part);
    return tree;
  };
  const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")));
  const {
    language: { one },
    ...topics
  } = files.reduce(join, {});
  const flat = (part, path) =>
    Object.entries(part).flatMap(([name, text]) =>
      typeof text === "string" || ("one" in text && "other" in text)
        ? [[path + name, text]]
        : flat(text, `${path}${name}.`),
    );
  globalThis.document.documentElement.lang = language;
  globalThis.fetch = async () => ({
    ok: true,
    json: async () => ({ one, texts: Object.fromEntries(flat(topics, "")) }),
  });
}
speak("en");

/** Answers requests: each is a function of (path, options), or a body to answer with. */
export function answerFetch(answer) {
  const requests = [];
  globalThis.fetch = async (path, options = {}) => {
    requests.push([options.method ?? "GET", path, options.body === undefined ? undefined : JSON.parse(options.body)]);
    const { status = 200, body = {}, headers = {}, json = async () => body } = await answer(path, options);
    return { ok: status < 400, status, headers: new Headers(headers), json };
  };
  return requests;
}

/** What a template would put on the page, as text, without its listeners. */
export function markup(value) {
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value?.strings)
    return value.strings
      .map((text, index) => text + (index < value.values.length ? markup(value.values[index]) : ""))
      .join("");
  if (value?._$litDirective$) return markup(value.values[0].map(value.values[2]));
  return ["function", "symbol", "undefined"].includes(typeof value) || value === null ? "" : String(value);
}
