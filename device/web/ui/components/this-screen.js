// @ts-check
// What each browser chooses for itself: language, light or dark, sounds and speech (this-screen.html).

import { byId, valueOf } from "../lib/dom.js";
import { keep, kept } from "../lib/kept.js";
import { chooseLanguage, language } from "../lib/texts.js";

/**
 * @param {(target: EventTarget | null) => unknown} onAloud called with the switch of sounds or speech that was changed
 */
export function thisScreen(onAloud) {
  const languages = byId("language", HTMLSelectElement);
  const theme = byId("theme", HTMLSelectElement);
  languages.value = language;
  theme.value = kept("theme") ?? "";
  languages.addEventListener("change", () => chooseLanguage(languages.value));
  theme.addEventListener("change", (event) => {
    keep("theme", valueOf(event));
    dispatchEvent(new Event("theme"));
  });
  byId("aloud").addEventListener("change", ({ target }) => onAloud(target));
}
