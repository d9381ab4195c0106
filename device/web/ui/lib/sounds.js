// @ts-check
// The sounds of the table, synthesised: short, quiet, each with its own rhythm, so that pitch is not needed.

/** @import { SoundName } from "./types.js" */

/** @typedef {[pitch_hz: number, at_s: number, length_s: number]} Note */

/** @type {Readonly<Record<SoundName, readonly Note[]>>} */
export const SOUNDS = {
  settled: [
    [587, 0, 0.16],
    [880, 0.1, 0.34],
  ],
  pushable: [
    [587, 0, 0.16],
    [880, 0.1, 0.16],
    [880, 0.34, 0.3],
  ],
  person: [
    [392, 0, 0.15],
    [392, 0.22, 0.15],
    [294, 0.44, 0.4],
  ],
  wrong: [
    [294, 0, 0.12],
    [294, 0.14, 0.12],
    [294, 0.28, 0.12],
    [208, 0.42, 0.36],
  ],
  pushed: [
    [587, 0, 0.14],
    [740, 0.09, 0.14],
    [880, 0.18, 0.14],
    [1175, 0.27, 0.42],
  ],
  reset: [[262, 0, 0.3]],
  turn: [
    [659, 0, 0.14],
    [880, 0.16, 0.14],
    [659, 0.42, 0.14],
    [880, 0.58, 0.4],
  ],
};
// Share of full volume: quiet next to a conversation.
const LOUDEST = 0.2;
const SILENCE = 0.001;
const ATTACK_S = 0.012;
// Audio runs on while a sound is built: a note that started in the past would click.
const LEAD_S = 0.03;
const LATE_MS = 400;

/** Plays sounds. Audio runs only during playback, since a page stays open all evening. */
export function soundBox() {
  /** @type {AudioContext | null} */
  let context = null;
  let users = 0;

  async function wake() {
    context ??= new AudioContext();
    users += 1;
    await context.resume();
    return context;
  }

  function rest() {
    users -= 1;
    if (users === 0) context?.suspend();
  }

  /**
   * @param {AudioContext} audio
   * @param {Note} note
   * @param {number} from_s when the sound begins, by the audio's clock
   * @param {number} peak
   */
  function ring(audio, [pitch, at, length], from_s, peak) {
    const start = from_s + at;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
    const level = new GainNode(audio, { gain: 0 });
    level.gain.setValueAtTime(0, start);
    level.gain.linearRampToValueAtTime(peak, start + ATTACK_S);
    level.gain.exponentialRampToValueAtTime(peak * SILENCE, start + length);
    tone.connect(level).connect(audio.destination);
    tone.start(start);
    tone.stop(start + length);
    return tone;
  }

  return {
    /** Asks the browser to allow sound; settles when it does, perhaps after the first tap. */
    async allowed() {
      await wake();
      rest();
    },
    /**
     * Plays a sound at once, or not at all: later it would announce the past.
     * @param {SoundName} name
     * @param {number} volume from 0 to 1
     */
    async play(name, volume) {
      if (volume <= 0) return;
      const called = performance.now();
      const audio = await wake();
      if (performance.now() - called > LATE_MS) return rest();
      const from_s = audio.currentTime + LEAD_S;
      // Loudness is perceived by squares.
      const tones = SOUNDS[name].map((note) => ring(audio, note, from_s, LOUDEST * volume * volume));
      tones.at(-1)?.addEventListener("ended", rest);
    },
  };
}
