// @ts-check
// Requests that a page may send again before they are answered.

/**
 * Answers may overtake each other: only the last request's counts.
 * @template {unknown[]} Given, Answered
 * @param {(...given: Given) => Promise<Answered>} request
 * @returns {(...given: Given) => Promise<Answered | null>} null where a later request has begun meanwhile
 */
export function newest(request) {
  let turn = 0;
  return async (...given) => {
    const mine = ++turn;
    const answer = await request(...given);
    return mine === turn ? answer : null;
  };
}

/**
 * Requests something when its version differs from the last one, or if it was refused then.
 * @param {() => Promise<import("./types.js").Answer>} request
 * @returns {(version: number | string) => Promise<any>} what was answered; null if there is nothing new
 */
export function byVersion(request) {
  /** @type {number | string | null} */
  let known = null;
  return async (version) => {
    if (version === known) return null;
    known = version;
    const answer = await request();
    if (version !== known) return null;
    if (!answer.ok) known = null;
    return answer.ok ? answer.snapshot : null;
  };
}
