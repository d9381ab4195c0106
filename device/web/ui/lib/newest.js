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
