// @ts-check
// Speech by the browser's own voice. Voices that send the text to another host are not used.

/** @param {string} tag */
const tongue = (tag) => tag.toLowerCase().split(/[-_]/)[0];

/**
 * Speaks one language.
 * @param {string} language
 * @param {() => void} onVoices called when the browser has found other voices
 */
export function reader(language, onVoices) {
  /** @type {SpeechSynthesis | undefined} */
  const synthesis = globalThis.speechSynthesis;
  synthesis?.addEventListener("voiceschanged", onVoices);
  // Browsers load their voices on the first request.
  synthesis?.getVoices();

  function voice() {
    const fit = (synthesis?.getVoices() ?? []).filter(
      (one) => one.localService && tongue(one.lang) === tongue(language),
    );
    return fit.find((one) => one.default) ?? fit[0] ?? null;
  }

  return {
    /** Whether this browser has a voice for it. */
    get isAble() {
      return voice() !== null;
    },
    /** Speaks a text, interrupting the current one. @param {string} text @param {number} volume from 0 to 1 */
    say(text, volume) {
      const found = voice();
      if (!found) return;
      synthesis.cancel();
      const utterance = new SpeechSynthesisUtterance(text);
      utterance.voice = found;
      utterance.lang = found.lang;
      utterance.volume = volume;
      synthesis.speak(utterance);
    },
    hush: () => synthesis?.cancel(),
  };
}
