// @ts-check
// What this browser keeps. Where storage is off, it lasts until the page is closed.

/** @param {string} key */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} text empty: nothing is kept */
export function keep(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // Then only this page has it.
  }
}
