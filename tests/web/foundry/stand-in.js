// A stand-in for Foundry VTT 12 and 13, written after the documentation and the published source of its dice: only what a module
// for real dice meets, and with the refusals of the real one. What is not here a module may not use: it fails.

import { readFileSync } from "node:fs";

const MODULE = "pushtray";
let instances, hooks, settings, kept, sockets, messages, told, lang, nextId, arePlain;
const randomUniform = () => 0.5;

class Label {
  constructor(term, method, isReadonly) {
    this.denomination = term.denomination;
    this.method = method;
    this.input = { name: term._id, value: "", disabled: false, readonly: isReadonly, term, max: term.faces };
  }
}

/** As much of a form's element as Foundry's own selectors and ours read; an unknown selector is an error. */
class Form {
  labels = [];
  querySelectorAll(selector) {
    const [, denomination, method] =
      /^label(?:\[data-denomination="(\w+)"\])?\[data-method="([\w-]+)"\] > input:not\(:disabled\)$/.exec(selector) ??
      [];
    if (!method) throw new SyntaxError(`the stand-in knows no ${selector}`);
    return this.labels
      .filter(
        (label) =>
          label.denomination === (denomination ?? label.denomination) &&
          label.method === method &&
          !label.input.disabled,
      )
      .map((label) => label.input);
  }
}

class Die {
  static DENOMINATION = "d";
  _evaluated = false;
  results = [];
  constructor({ number = 1, faces, modifiers = [], options = {} } = {}) {
    Object.assign(this, { number, faces, modifiers, options });
  }
  get denomination() {
    return `d${this.faces}`;
  }
  get flavor() {
    return this.options.flavor;
  }
  get total() {
    return this.results.filter((one) => one.active).reduce((sum, one) => sum + one.result, 0);
  }
  randomFace() {
    return Math.ceil((1 - randomUniform()) * this.faces);
  }
  get method() {
    return settings["core.diceConfiguration"][this.denomination] || globalThis.CONFIG.Dice.fulfillment.defaultMethod;
  }
  async roll(options = {}) {
    const { handler, interactive } = globalThis.CONFIG.Dice.fulfillment.methods[this.method] ?? {};
    const resolver = this._root?._resolver;
    const face =
      interactive && resolver
        ? await resolver.resolveResult(this, this.method, options)
        : await handler?.(this, options);
    const result = { result: face ?? this.randomFace(), active: true };
    this.results.push(result);
    return result;
  }
  async evaluate() {
    if (this._evaluated) throw new Error("The Die has already been evaluated and is now immutable");
    this._evaluated = true;
    while (this.results.length < this.number) await this.roll();
    if (!this.modifiers.includes("x6")) return;
    for (let index = 0; index < this.results.length; index++) {
      if (this.results[index].result === 6) await this.roll({ explode: true });
    }
  }
}

/**
 * A game system's own die. Whether its instances have the denomination of their class or that of plain dice differs.
 * Source: the documentation of the Year Zero Universal Roller, and the systems that register their dice without it.
 */
function ownDie(letter, { faces = 6, type = undefined } = {}) {
  return class extends Die {
    static DENOMINATION = letter;
    static TYPE = type;
    constructor(data = {}) {
      super({ ...data, faces });
    }
    get denomination() {
      return arePlain ? super.denomination : letter;
    }
  };
}

/** The dice that a system registers, by its id. */
export const OWN_DICE = {
  "mutant-year-zero": () => ["b", "s", "g"].map((letter) => ownDie(letter)),
  "forbidden-lands": () => [
    ...Object.entries({ b: "base", s: "skill", g: "gear", n: "neg" }).map(([letter, type]) => ownDie(letter, { type })),
    ...[8, 10, 12].map((faces) => ownDie(`${faces}`, { faces, type: "arto" })),
  ],
  t2k4e: () => [
    ...[6, 8, 10, 12].map((faces) => ownDie(`${faces}`, { faces, type: "base" })),
    ...Object.entries({ m: "ammo", l: "loc" }).map(([letter, type]) => ownDie(letter, { type })),
  ],
  genesys: () => [ownDie("b"), ownDie("s", { faces: 8 })],
};

class RollResolver {
  static nextId = 1;
  rendered = false;
  element = new Form();
  #resolve;
  fulfillable = new Map();
  constructor(roll) {
    this.roll = roll;
    this.id = `roll-resolver-${RollResolver.nextId++}`;
  }
  async awaitFulfillment() {
    const terms = this.roll.constructor.identifyFulfillableTerms(this.roll.terms);
    if (!terms.length) return undefined;
    for (const term of terms) {
      term._id = `term${nextId++}`;
      this.fulfillable.set(term._id, { id: term._id, term, method: term.method, isNew: false });
      for (let count = 0; count < term.number; count++)
        this.element.labels.push(new Label(term, term.method, term.method !== "manual"));
    }
    this.rendered = true;
    instances.set(this.id, this);
    const waiting = new Promise((resolve) => (this.#resolve = resolve));
    call("renderRollResolver", this, this.element, {}, {});
    return waiting;
  }
  registerResult(method, denomination, result) {
    const field = this.element
      .querySelectorAll(`label[data-denomination="${denomination}"][data-method="${method}"] > input:not(:disabled)`)
      .find((input) => input.value === "");
    if (!field) {
      globalThis.ui.notifications.warn(`${denomination} roll was not needed by the resolver.`);
      return false;
    }
    field.value = `${result}`;
    if (field.submit) field.submit();
    else this._checkDone();
    return true;
  }
  _checkDone() {
    const open = this.element.labels.map((label) => label.input).filter((input) => !input.disabled);
    if (open.some((input) => !input.readonly || input.value === "")) return;
    this.submit();
  }
  /** What the button of the window does: whatever is missing is random. */
  submit() {
    for (const { input } of this.element.labels) {
      if (input.disabled) continue;
      const face = input.value === "" ? input.term.randomFace() : Number(input.value);
      // The field refuses what no such die shows, and the window stays.
      if (!Number.isInteger(face) || face < 1 || face > input.max)
        throw new RangeError(`${face} is no face of d${input.max}`);
      input.disabled = true;
      input.term.results.push({ result: face, active: true });
    }
    this.#resolve();
  }
  /** One die more, such as an exploding one, in a row with a button of its own. */
  resolveResult(term, method) {
    const label = new Label(term, method, true);
    this.element.labels.push(label);
    return new Promise((resolve) => {
      label.input.submit = () => {
        label.input.disabled = true;
        resolve(Number(label.input.value) || term.randomFace());
      };
    });
  }
  async close() {
    if (!this.rendered) return;
    this.rendered = false;
    instances.delete(this.id);
    if (this.element.labels.some((label) => !label.input.disabled)) this.submit();
    call("closeRollResolver", this);
  }
}

export class Roll {
  _evaluated = false;
  constructor(formula) {
    this.formula = formula;
    this.terms = formula.split("+").map((part) => {
      const [, number, kind, modifier, flavor] = /^\s*(\d+)d(\d+|[a-z])(x6)?(?:\[(.+)\])?\s*$/.exec(part) ?? [];
      const own = globalThis.CONFIG.Dice.terms[kind];
      if (!own && !Number(kind)) throw new Error(`the stand-in cannot parse ${part}`);
      const data = { number: Number(number), faces: Number(kind), options: { flavor } };
      return new (own ?? Die)({ ...data, modifiers: modifier ? [modifier] : [] });
    });
  }
  static identifyFulfillableTerms(terms) {
    return terms.filter((term) => globalThis.CONFIG.Dice.fulfillment.methods[term.method]?.interactive);
  }
  static get resolverImplementation() {
    const used = new Set(
      Object.values(settings["core.diceConfiguration"]).filter(
        (method) => method && method !== "manual" && globalThis.CONFIG.Dice.fulfillment.methods[method]?.interactive,
      ),
    );
    return used.size === 1
      ? (globalThis.CONFIG.Dice.fulfillment.methods[[...used][0]].resolver ?? RollResolver)
      : RollResolver;
  }
  async evaluate() {
    if (this._evaluated) throw new Error("The Roll has already been evaluated and is now immutable");
    this._evaluated = true;
    this._resolver = new Roll.resolverImplementation(this);
    await this._resolver.awaitFulfillment();
    for (const term of this.terms) {
      term._root = this;
      await term.evaluate();
    }
    await this._resolver.close();
    return this;
  }
  get faces() {
    return this.terms.map((term) => term.results.map((one) => one.result));
  }
}

function call(name, ...values) {
  for (const [run, isOnce] of [...(hooks[name] ?? [])]) {
    run(...values);
    if (isOnce) hooks[name] = hooks[name].filter(([other]) => other !== run);
  }
}

/** The texts of the module in a language, by their keys; what is missing is shown as its key, as Foundry does. */
function texts(language) {
  const flat = (part, path) =>
    Object.entries(part).flatMap(([key, value]) =>
      typeof value === "string" ? [[path + key, value]] : flat(value, `${path}${key}.`),
    );
  return Object.fromEntries(
    flat(
      JSON.parse(
        readFileSync(
          new URL(`../../../device/web/features/foundry/module/languages/${language}.json`, import.meta.url),
          "utf8",
        ),
      ),
      "",
    ),
  );
}

/** Streams that a test lets speak, in the order in which they were opened. */
export class FakeStream extends EventTarget {
  static all = [];
  isClosed = false;
  constructor(url) {
    super();
    this.url = url;
    FakeStream.all.push(this);
  }
  static get last() {
    return FakeStream.all.at(-1);
  }
  close() {
    this.isClosed = true;
  }
  say(state, kind = "message") {
    this.dispatchEvent(Object.assign(new Event(kind), { data: JSON.stringify(state) }));
  }
  fail() {
    this.dispatchEvent(new Event("error"));
  }
}

/**
 * A fresh Foundry, in which the module is not loaded yet.
 * @returns what tests look at: chat messages, notifications, what goes over the socket
 */
export function openFoundry({
  version = 13,
  language = "en",
  href = "http://vtt.lan:30000/game",
  user = "gm",
  activeGM = "gm",
  dice = { d6: MODULE },
  system = "dnd5e",
  ownAsPlain = false,
  flags = { url: "http://tray.lan:8000" },
  chosen = {},
} = {}) {
  instances = new Map();
  hooks = {};
  kept = { ...chosen };
  settings = { "core.diceConfiguration": dice };
  arePlain = ownAsPlain;
  [sockets, messages, told, nextId] = [[], [], [], 1];
  lang = texts(language);
  FakeStream.all = [];
  const users = { gm: { id: "gm" }, ann: { id: "ann" } };
  globalThis.CONFIG = {
    Dice: {
      terms: { d: Die, ...Object.fromEntries((OWN_DICE[system]?.() ?? []).map((own) => [own.DENOMINATION, own])) },
      fulfillment: {
        defaultMethod: "",
        dice: Object.fromEntries(
          [4, 6, 8, 10, 12, 20, 100].map((faces) => [`d${faces}`, { label: `d${faces}`, icon: "" }]),
        ),
        methods: {
          mersenne: { label: "Digital", interactive: false, handler: (term) => term.randomFace() },
          manual: { label: "Manual", interactive: true },
        },
      },
    },
  };
  globalThis.foundry = { applications: { dice: { RollResolver }, instances }, dice: { Roll } };
  // Version 12 has its old globals besides.
  if (version === 12) globalThis.Roll = Roll;
  else delete globalThis.Roll;
  globalThis.Hooks = {
    once: (name, run) => (hooks[name] ??= []).push([run, true]),
    on: (name, run) => (hooks[name] ??= []).push([run, false]),
  };
  const note = (kind) => (text) => told.push([kind, text]);
  globalThis.ui = { notifications: { info: note("info"), warn: note("warn"), error: note("error") } };
  globalThis.ChatMessage = {
    async create(data) {
      if (typeof data.content !== "string" || !data.content) throw new Error("a ChatMessage needs content");
      messages.push(data);
    },
  };
  globalThis.game = {
    version: `${version}.300`,
    system: { id: system },
    user: users[user],
    users: { activeGM: users[activeGM] },
    modules: new Map([[MODULE, { flags: { [MODULE]: flags } }]]),
    i18n: {
      localize: (key) => lang[key] ?? key,
      format: (key, values) => (lang[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]),
    },
    settings: {
      register(module, key, { type, default: usual, scope }) {
        if (!["world", "client", "user"].includes(scope)) throw new Error(`${scope} is no scope`);
        if (typeof usual !== type.name.toLowerCase()) throw new Error(`${usual} is no ${type.name}`);
        settings[`${module}.${key}`] = kept[key] ?? usual;
      },
      get(module, key) {
        if (!(`${module}.${key}` in settings)) throw new Error(`"${module}.${key}" is not a registered game setting`);
        return settings[`${module}.${key}`];
      },
    },
    socket: {
      on: (name, run) => sockets.push([name, run]),
      // A browser does not hear what it says itself.
      emit: (name, message) => told.push(["socket", name, message]),
    },
  };
  globalThis.location = new URL(href);
  globalThis.EventSource = FakeStream;
  return {
    messages,
    told,
    instances,
    start() {
      call("init");
      call("setup");
      call("ready");
    },
    /** What another browser sends. */
    hear: (message) => sockets.forEach(([, run]) => run(message)),
    leave: (id) => call("userConnected", { id }, false),
    notes: (kind) => told.filter(([one]) => one === kind).map(([, text]) => text),
    sent: () => told.filter(([kind]) => kind === "socket").map(([, , message]) => message),
  };
}

/** Lets what was promised happen. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
