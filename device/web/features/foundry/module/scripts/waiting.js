// @ts-check
// Rolls of all browsers waiting for the tray: the oldest gets the dice.

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
 * The fields of a window to fill with this tray's dice, in Foundry's order.
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
 * The word in brackets of each of those fields, as in 2d6[base]; null without one.
 * @param {Resolver} resolver
 * @returns {(string | null)[]}
 */
export function namesOf(resolver) {
  return openFields(resolver).map((field) => resolver.fulfillable.get(field.name)?.term.flavor?.trim() || null);
}

/**
 * Fills in faces in the order of the fields. Foundry closes the window once it is complete.
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
    /** Asks the other browsers for their waiting rolls, when joining later. */
    ask: () => post({ type: "who", key: user, at: now() }),
    /** @param {Message} message from another browser */
    hear(message) {
      if (message.type === "waits") others.set(message.key, message.at);
      else if (message.type === "done") others.delete(message.key);
      else for (const own of mine.values()) post(own);
    },
    /**
     * A user has left, with the rolls waiting in that browser.
     * @param {string} gone his id
     */
    forget(gone) {
      for (const key of others.keys()) if (key.startsWith(`${gone}/`)) others.delete(key);
    },
    /** The current window of this browser; null if none waits or another browser comes first. */
    get next() {
      const open = [...mine].filter(([resolver]) => resolver.rendered && openFields(resolver).length);
      const first = open.sort(([, one], [, other]) => (isBefore(one, other) ? -1 : 1))[0];
      if (!first) return null;
      const isFirst = [...others].every(([key, at]) => isBefore(first[1], { type: "waits", key, at }));
      return isFirst ? first[0] : null;
    },
    /** Whether any roll waits, here or in another browser. */
    get isAny() {
      return others.size > 0 || [...mine.keys()].some((resolver) => openFields(resolver).length > 0);
    },
  };
}
