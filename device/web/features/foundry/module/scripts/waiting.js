// @ts-check
// Rolls of all browsers waiting for the tray: the oldest gets the dice.

import { SIDES, placeOf } from "./places.js";

/** @import { Place, Term } from "./places.js" */
/**
 * @typedef {object} Resolver Foundry's window over a roll that waits for dice, as far as it is used here.
 * @property {string} id
 * @property {HTMLElement} element
 * @property {boolean} rendered
 * @property {Map<string, { method: string, term: Term }>} fulfillable
 * @property {(method: string, denomination: string, result: number) => boolean} registerResult
 */
/** @typedef {{ type: "waits" | "done" | "who", key: string, at: number }} Message */

export const METHOD = "pushtray";

/**
 * The empty fields of a window that wait for the tray, in Foundry's order.
 * @param {Resolver} resolver
 * @param {string} system the id of the game system
 * @returns {Place[]}
 */
function openPlaces(resolver, system) {
  const fields = resolver.element.querySelectorAll(`label[data-method="${METHOD}"] > input:not(:disabled)`);
  return [.../** @type {NodeListOf<HTMLInputElement>} */ (fields)].flatMap((field) => {
    const term = field.value === "" ? resolver.fulfillable.get(field.name)?.term : undefined;
    return term ? [placeOf(term, system)] : [];
  });
}

/** Those that the tray can fill. @param {Resolver} resolver @param {string} system */
export const placesFor = (resolver, system) =>
  openPlaces(resolver, system).filter(({ sides }) => SIDES.includes(sides));

/** Those that it cannot. @param {Resolver} resolver @param {string} system */
export const othersIn = (resolver, system) =>
  openPlaces(resolver, system).filter(({ sides }) => !SIDES.includes(sides));

/**
 * Fills in faces in the order of the places. Foundry closes the window once it is complete.
 * @param {Resolver} resolver
 * @param {Place[]} places
 * @param {number[]} faces
 */
export function fill(resolver, places, faces) {
  for (const [index, face] of faces.entries()) resolver.registerResult(METHOD, places[index].denomination, face);
}

/**
 * @param {string} user the id of this browser's user
 * @param {string} system the id of the game system
 * @param {(message: Message) => void} post tells all other browsers
 * @param {() => number} now
 */
export function waitingRolls(user, system, post, now = Date.now) {
  /** @type {Map<Resolver, Message>} */
  const mine = new Map();
  /** @type {Map<string, number>} */
  const others = new Map();

  /** @param {Resolver} resolver */
  const isOpen = (resolver) => placesFor(resolver, system).length > 0;
  /** @param {Message} one @param {Message} other */
  const isBefore = (one, other) => one.at < other.at || (one.at === other.at && one.key < other.key);

  return {
    /** @param {Resolver} resolver */
    add(resolver) {
      if (mine.has(resolver) || !isOpen(resolver)) return false;
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
    /** A user has left, with the rolls waiting in that browser. @param {string} gone his id */
    forget(gone) {
      for (const key of others.keys()) if (key.startsWith(`${gone}/`)) others.delete(key);
    },
    /** The current window of this browser; null if none waits or another browser comes first. */
    get next() {
      const open = [...mine].filter(([resolver]) => resolver.rendered && isOpen(resolver));
      const first = open.sort(([, one], [, other]) => (isBefore(one, other) ? -1 : 1))[0];
      if (!first) return null;
      const isFirst = [...others].every(([key, at]) => isBefore(first[1], { type: "waits", key, at }));
      return isFirst ? first[0] : null;
    },
    /** Whether any roll waits, here or in another browser. */
    get isAny() {
      return others.size > 0 || [...mine.keys()].some(isOpen);
    },
  };
}
