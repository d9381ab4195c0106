// @ts-check
// A strip of enlarged crops: each die in doubt, its reading and confidence. A tap settles one, one key settles all that
// have a reading.

import { asRead, doubtfulDice, readWords, sureWords } from "../lib/doubts.js";
import { drawCrops } from "./crops.js";
import { cropPlace } from "./doubts.js";
import { element } from "../../../ui/lib/dom.js";
import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { learnFaces } from "../../../ui/components/learn-faces.js";
import { rememberRule } from "../../../ui/lib/taught-faces.js";
import { capital, faceWord, unreadWords } from "../../../ui/lib/words.js";

/** @import { Die, Snapshot } from "../../../ui/lib/types.js" */
/** @import { Reading } from "../lib/doubts.js" */
/** @typedef {(method: string, path: string, body?: object) => Promise<unknown>} Wish */

// As many as can be taken in at a glance, fewer if their texts do not fit; the others follow as these are settled.
const MAX_SHOWN = 3;
const isNarrow = matchMedia("(max-width: 619px)");

/** @param {Die} die */
const isUnknown = (die) => die.unread === "face_unknown";

/** @param {HTMLElement} strips @param {Wish} wish @param {(id: number) => unknown} openPad */
export function doubtStrip(strips, wish, openPad) {
  const strip = element(
    html`<section class="strip doubts" aria-label=${t("page.doubt.strip")} data-testid="doubts" hidden></section>`,
  );
  strips.prepend(strip);
  /** @type {Snapshot | null} */
  let latest = null;

  /**
   * Accepts dice as read; faces unknown so far are learned, too, unless the settings say otherwise.
   * @param {Reading[]} readings
   * @param {Reading[]} unknown those of unknown faces
   */
  async function accept(readings, unknown) {
    const [{ id, ...only }] = readings;
    const isOne = readings.length === 1;
    const isTaken = await wish("PATCH", isOne ? `/api/dice/${id}` : "/api/dice", isOne ? only : { dice: readings });
    if (isTaken && unknown.length && rememberRule() !== "never") await learnFaces(unknown);
  }

  /** @param {Die} die @param {Snapshot} snapshot */
  function card(die, snapshot) {
    const reading = asRead(die, snapshot);
    const what = readWords(die, reading);
    const right = t("page.doubt.right", { value: faceWord(reading?.value) });
    const other = t(reading ? "page.doubt.other" : "page.doubt.say");
    const sure = reading ? sureWords(die) : t("page.doubt.nothing");
    const words = [sure, ...(die.unread ? [`${unreadWords(die)}.`] : [])].map(capital).join(". ");
    return html`<li class="doubt" data-testid="doubt" data-doubt-id=${die.id}>
      ${cropPlace(die.id)}
      <p class="doubt-words"><b>${what}</b> <small>${words}</small></p>
      <div class="doubt-keys">
        ${reading ? html`<button type="button" class="tool go" data-testid="as-read" aria-label=${t("page.doubt.key_of", { key: right, what })} @click=${() => accept([reading], isUnknown(die) ? [reading] : [])}>${right}</button>` : nothing}
        <button type="button" class="tool" data-testid="say-other" aria-haspopup="dialog" aria-label=${t("page.doubt.key_of", { key: other, what })} @click=${() => openPad(die.id)}>${other}</button>
      </div>
    </li>`;
  }

  /** @param {Snapshot} snapshot @param {Die[]} all in doubt @param {number} most of them to show */
  function draw(snapshot, all, most) {
    const readingsOf = (/** @type {Die[]} */ dice) =>
      dice.map((die) => asRead(die, snapshot)).filter((one) => one !== null);
    const [readings, unknown] = [readingsOf(all), readingsOf(all.filter(isUnknown))];
    const values = [...new Set(readings.map(({ value }) => faceWord(value)))].join(", ");
    const isNew = rememberRule() !== "never" && unknown.length === readings.length;
    const words = isNew
      ? t("page.doubt.new_faces", { values })
      : t("page.doubt.all_as_read", { count: readings.length });
    render(
      html`<ul class="doubt-list">${repeat(
        all.slice(0, most),
        (die) => die.id,
        (die) => card(die, snapshot),
      )}</ul>
        <div class="doubt-all">${all.length > most ? html`<span class="more-doubts">${t("page.doubt.more", { count: all.length - most })}</span>` : nothing}${readings.length > 1 ? html`<button type="button" class="tool go" data-testid="all-as-read" @click=${() => accept(readings, unknown)}>${words}</button>` : nothing}</div>`,
      strip,
    );
  }

  const isWhole = (/** @type {Element} */ words) =>
    words.scrollWidth <= words.clientWidth && words.scrollHeight <= words.clientHeight;

  // Texts are never cut: fewer dice have more room. If even one has too little, its crop and its dialog show what is wrong.
  function fit() {
    if (!latest) return;
    const all = doubtfulDice(latest);
    strip.hidden = !all.length;
    delete strip.dataset.brief;
    for (let most = isNarrow.matches ? 1 : MAX_SHOWN; most > 0; most -= 1) {
      draw(latest, all, most);
      if ([...strip.querySelectorAll(".doubt-words, .doubt-keys")].every(isWhole)) break;
      if (most === 1) strip.dataset.brief = "";
    }
    drawCrops(strip, latest);
  }

  return {
    fit,
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      latest = snapshot;
      fit();
    },
  };
}
