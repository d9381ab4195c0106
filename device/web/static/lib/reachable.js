// @ts-check
// Staying on the page while the tray is away: what is loaded then is the browser's own error page, which asks again after
// ever longer pauses, and a kiosk has no key that would ask sooner.

// Whether anything answers at the tray's address.
async function isServed() {
  try {
    await fetch("/api/state", { cache: "no-store", signal: AbortSignal.timeout(3000) });
    return true;
  } catch {
    return false;
  }
}

document.addEventListener("click", async (event) => {
  const link =
    event.target instanceof Element &&
    /** @type {HTMLAnchorElement | null} */ (event.target.closest("a[href]:not([download])"));
  if (!link || event.defaultPrevented || !("kiosk" in document.documentElement.dataset)) return;
  event.preventDefault();
  if (await isServed()) location.assign(link.href);
});
