// @ts-check
// Stay on the page while the tray is unreachable: a navigation would show the browser's error page, which retries ever
// less often, and a kiosk has no key to reload.

// Whether the tray's address answers.
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
