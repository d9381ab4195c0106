// @ts-check
// Parts of a page that are loaded when they are first needed.

import { t } from "./texts.js";

/** @import { Say } from "./types.js" */

/**
 * Loads a part once; after a failure, shows it and retries when the part is needed again.
 * @template T
 * @param {() => Promise<T>} load
 * @param {Say} say
 */
export function onDemand(load, say) {
  /** @type {T | null} */
  let part = null;
  /** @type {Promise<T> | null} */
  let loading = null;
  return {
    /** The part; null while it is not loaded. */
    get now() {
      return part;
    },
    /**
     * Calls onReady with the part, at once if it is loaded.
     * @param {(part: T) => void} onReady
     */
    async use(onReady) {
      if (part !== null) return onReady(part);
      try {
        part = await (loading ??= load());
      } catch {
        loading = null;
        return say(t("page.lost.no_answer"));
      }
      return onReady(part);
    },
  };
}
