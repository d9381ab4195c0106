// @ts-check
// Where a kiosk's links lead. It has no address bar and no key to reload, so it stays on pages with a menu: a link that
// leaves them shows its address for another device. It also stays while the tray is unreachable, since a navigation would
// show the browser's error page, which retries ever less often.

// Whether the tray's address answers.
async function isServed() {
  try {
    await fetch("/api/state", { cache: "no-store", signal: AbortSignal.timeout(10_000) });
    return true;
  } catch {
    return false;
  }
}

/** @param {string} address */
function hasMenu(address) {
  const { origin, pathname } = new URL(address, location.href);
  const pages = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=pages]"))?.content.split(" ");
  return origin === location.origin && Boolean(pages?.includes(pathname));
}

document.addEventListener("click", async (event) => {
  const link =
    event.target instanceof Element && /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]"));
  if (!link || event.defaultPrevented || !("kiosk" in document.documentElement.dataset)) return;
  event.preventDefault();
  if (!(await isServed())) return;
  if (hasMenu(link.href)) location.assign(link.href);
  else (await import("../components/address.js")).showAddress(link);
});

// A finger that rests on a touched screen asks for the browser's own menu, which leads out of the pages.
document.addEventListener("contextmenu", (event) => {
  if ("kiosk" in document.documentElement.dataset) event.preventDefault();
});

// A kiosk has no keys; a tap on a text field shows them.
document.addEventListener("focusin", async ({ target }) => {
  const isText = target instanceof HTMLInputElement && /^(text|search|password|number|url)$/.test(target.type);
  if (!isText || target.readOnly || !("kiosk" in document.documentElement.dataset)) return;
  (await import("../components/keyboard.js")).showKeyboard(target);
});
