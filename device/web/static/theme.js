// What must hold before the first paint: light or dark, and no pointer in a kiosk. Choices of this browser alone.
"use strict";
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  // A kiosk asks for its first page with ?kiosk; the pages it goes on to must remember.
  if (new URLSearchParams(location.search).has("kiosk")) sessionStorage.setItem("kiosk", "yes");
  if (sessionStorage.getItem("kiosk")) document.documentElement.dataset.kiosk = "";
} catch {
  // Storage is off: the system's own setting holds.
}
