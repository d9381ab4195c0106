// @ts-check
// One line for browsers that are too old. In the oldest syntax, so that they can run it.
"use strict";
(function () {
  var isShown = false;
  function say() {
    if (isShown || !document.body) return;
    isShown = true;
    var line = document.createElement("p");
    line.className = "too-old";
    line.setAttribute("role", "alert");
    line.appendChild(document.createTextNode(document.documentElement.getAttribute("data-too-old") || ""));
    document.body.insertBefore(line, document.body.firstChild);
  }
  var isNew =
    "noModule" in document.createElement("script") &&
    "showModal" in document.createElement("dialog") &&
    "WeakRef" in window;
  if (!isNew) document.addEventListener("DOMContentLoaded", say);
  // A script with syntax that the browser does not know.
  window.addEventListener("error", function (event) {
    if (/SyntaxError/.test(event.message)) say();
  });
})();
