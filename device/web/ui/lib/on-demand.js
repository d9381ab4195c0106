// @ts-check
// Parts of a page that are made when they are first needed; their scripts came with the page.

/**
 * @template T
 * @param {() => Promise<T>} load
 */
export function onDemand(load) {
  /** @type {T | null} */
  let part = null;
  /** @type {Promise<T> | null} */
  let loading = null;
  return {
    /** The part; null while it is not there. */
    get now() {
      return part;
    },
    /** Calls onReady with the part, at once if it is there. @param {(part: T) => void} onReady */
    async use(onReady) {
      if (part === null) part = await (loading ??= load());
      return onReady(part);
    },
  };
}
