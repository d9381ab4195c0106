// @ts-check
// Rolls of this browser and of all others that wait for the tray: the one that was asked for first gets the dice.

/**
 * @typedef {object} Resolver Foundry's window over a roll that waits for dice, as far as it is used here.
 * @property {string} id
 * @property {HTMLElement} element
 * @property {boolean} rendered
 * @property {Map<string, { method: string, term: { flavor?: string } }>} fulfillable
 * @property {(method: string, denomination: string, result: number) => boolean} registerResult
 */
/** @typedef {{ type: "waits" | "done" | "who", key: string, at: number }} Message */

export const METHOD = "pushtray";
const DENOMINATION = "d6";

/**
 * The fields of a window that wait for this tray's dice, in the order in which Foundry fills them.
 * @param {Resolver} resolver
 * @returns {HTMLInputElement[]}
 */
export function openFields(resolver) {
  const fields = resolver.element.querySelectorAll(
    `label[data-denomination="${DENOMINATION}"][data-method="${METHOD}"] > input:not(:disabled)`,
  );
  return [.../** @type {NodeListOf<HTMLInputElement>} */ (fields)].filter((field) => field.value === "");
}

/**
 * What each of those fields is for: the word in brackets behind its dice, as in 2d6[base]; null without one.
 * @param {Resolver} resolver
 * @returns {(string | null)[]}
 */
export function namesOf(resolver) {
  return openFields(resolver).map((field) => resolver.fulfillable.get(field.name)?.term.flavor?.trim() || null);
}

/**
 * Puts faces into a window, in the order of its fields. Foundry closes it by itself once nothing is missing.
 * @param {Resolver} resolver
 * @param {number[]} faces
 * @returns {boolean} whether it took all
 */
export function fill(resolver, faces) {
  return faces.every((face) => resolver.registerResult(METHOD, DENOMINATION, face));
}

/**
 * @param {string} user the id of this browser's user
 * @param {(message: Message) => void} post tells all other browsers
 * @param {() => number} now
 */
export function waitingRolls(user, post, now = Date.now) {
  /** @type {Map<Resolver, Message>} */
  const mine = new Map();
  /** @type {Map<string, number>} */
  const others = new Map();

  /** @param {Message} one @param {Message} other */
  const isBefore = (one, other) => one.at < other.at || (one.at === other.at && one.key < other.key);

  return {
    /** @param {Resolver} resolver */
    add(resolver) {
      if (mine.has(resolver) || !openFields(resolver).length) return false;
      /** @type {Message} */
      const message = { type: "waits", key: `${user}/${resolver.id}`, at: now() };
      mine.set(resolver, message);
      post(message);
      return true;
    },
    /** @param {Resolver} resolver */
    remove(resolver) {
      const message = mine.get(resolver);
      mine.delete(resolver);
      if (message) post({ ...message, type: "done" });
    },
    /** Asks the others what waits at them: for a browser that comes later. */
    ask: () => post({ type: "who", key: user, at: now() }),
    /** @param {Message} message from another browser */
    hear(message) {
      if (message.type === "waits") others.set(message.key, message.at);
      else if (message.type === "done") others.delete(message.key);
      else for (const own of mine.values()) post(own);
    },
    /**
     * A user has gone, and what waited in that browser with him.
     * @param {string} gone his id
     */
    forget(gone) {
      for (const key of others.keys()) if (key.startsWith(`${gone}/`)) others.delete(key);
    },
    /** The window here whose turn it is; null where none waits, or one of another browser comes first. */
    get next() {
      const open = [...mine].filter(([resolver]) => resolver.rendered && openFields(resolver).length);
      const first = open.sort(([, one], [, other]) => (isBefore(one, other) ? -1 : 1))[0];
      if (!first) return null;
      const isFirst = [...others].every(([key, at]) => isBefore(first[1], { type: "waits", key, at }));
      return isFirst ? first[0] : null;
    },
    /** Whether anybody waits, here or elsewhere. */
    get isAny() {
      return others.size > 0 || [...mine.keys()].some((resolver) => openFields(resolver).length > 0);
    },
  };
}
