// Light or dark before the first paint. The choice is this browser's own; nothing of it reaches the tray.
"use strict";
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is off: the system's own setting holds.
}
