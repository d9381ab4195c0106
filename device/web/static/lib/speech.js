// @ts-check
// Sentences read aloud by the browser's own voice. Voices that send the text to another host are not used.

/** @param {string} tag */
const tongue = (tag) => tag.toLowerCase().split(/[-_]/)[0];

/**
 * Reads in one language.
 * @param {string} language
 * @param {() => void} onVoices called when the browser has found other voices
 */
export function reader(language, onVoices) {
  /** @type {SpeechSynthesis | undefined} */
  const synthesis = globalThis.speechSynthesis;
  synthesis?.addEventListener("voiceschanged", onVoices);
  // Browsers look for their voices when they are first asked.
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
    /**
     * Says a text; what is being said ends at once.
     * @param {string} text
     * @param {number} volume from 0 to 1
     */
    say(text, volume) {
      const found = voice();
      if (!found) return;
      synthesis.cancel();
      const said = new SpeechSynthesisUtterance(text);
      said.voice = found;
      said.lang = found.lang;
      said.volume = volume;
      synthesis.speak(said);
    },
    hush: () => synthesis?.cancel(),
  };
}
