// @ts-check
// Who holds this device: the name of its player, kept in the browser.

const KEY = "player";
let name = read();

function read() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** The player's name; empty where nobody said. */
export function myName() {
  return name;
}

/** @param {string} chosen */
export function keepName(chosen) {
  name = chosen;
  try {
    if (chosen) localStorage.setItem(KEY, chosen);
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is off: the name holds until the page is closed.
  }
}
