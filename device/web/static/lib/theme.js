// @ts-check
// What must hold before the first paint: light or dark, and no pointer in a kiosk. Choices of this browser alone.
"use strict";
{
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  /** @type {(storage: () => Storage, key: string) => string | null} */
  const kept = (storage, key) => {
    try {
      return storage().getItem(key);
    } catch {
      return null; // Storage is off: the system's own setting holds.
    }
  };
  const dress = () => {
    const chosen = kept(() => localStorage, "theme");
    const bySystem = system.matches ? "dark" : "light";
    root.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : bySystem;
  };
  dress();
  system.addEventListener("change", dress);
  // A kiosk asks for its first page with ?kiosk; the pages it goes on to must remember.
  const asked = new URLSearchParams(location.search).has("kiosk");
  try {
    if (asked) sessionStorage.setItem("kiosk", "yes");
  } catch {
    // Then it is known of this page alone.
  }
  if (asked || kept(() => sessionStorage, "kiosk")) root.dataset.kiosk = "";
}
