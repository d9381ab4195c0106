// @ts-check
// Set before the first paint: light or dark, and no pointer in a kiosk. Stored in this browser.
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
  // Chosen on this page, or on another of this browser.
  for (const name of ["theme", "storage"]) addEventListener(name, dress);
  // A kiosk opens its first page with ?kiosk; later pages must remember.
  const isKiosk = new URLSearchParams(location.search).has("kiosk");
  try {
    if (isKiosk) sessionStorage.setItem("kiosk", "yes");
  } catch {
    // Then only this page knows.
  }
  if (isKiosk || kept(() => sessionStorage, "kiosk")) root.dataset.kiosk = "";
}
