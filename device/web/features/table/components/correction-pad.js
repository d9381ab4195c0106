// @ts-check
// The correction pad: one tap opens it, a second sets value or colour class, or dismisses the die. Opened on an empty
// place of the picture, it adds a die there.

import { askSeen } from "../../../ui/lib/api.js";
import { paint } from "../../../ui/lib/drawing.js";
import { byId } from "../../../ui/lib/dom.js";
import { valuesOf } from "../../../ui/lib/step-dice.js";
import { drawCrops } from "./crops.js";
import { missingClass } from "../lib/late-words.js";
import { learnFaces } from "../../../ui/components/learn-faces.js";
import { faceOf, loadFaces, mayBeBlank, rememberRule, taughtSides } from "../../../ui/lib/taught-faces.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { capital, dieWords, diceOf, faceWord, plainWord, ruleWord, unreadWords } from "../../../ui/lib/words.js";

/** @import { Die, Point, Say, Snapshot } from "../../../ui/lib/types.js" */
/** @typedef {{ center_px: Point, value: number | null, colour: string | null, sides: number }} AddedDie */
/** @typedef {{ value?: number, face?: string, colour?: string, sides?: number, ignored?: boolean }} Word */

const isNumber = (/** @type {unknown} */ value) => typeof value === "number";

/**
 * The camera's reading of a die.
 * @param {Die} die
 */
function seenWords(die) {
  const colour = die.read_colour ? ruleWord(die.read_colour) : null;
  if (isNumber(die.read_value))
    return t(colour ? "page.pad.read_colour" : "page.pad.read", { value: faceWord(die.read_value), colour });
  if (die.added) return t("page.pad.unseen");
  return t(colour ? "page.pad.unsure_colour" : "page.pad.unsure", { colour });
}

/**
 * The set's own picture of a face.
 * @param {{ colour: string | null, sides?: number }} die
 * @param {number} value
 */
function faceImage({ colour, sides }, value) {
  const picture = faceOf(colour, value, sides);
  return picture ? html` <img src=${picture} alt="">` : nothing;
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {Say} say
 */
export function correctionPad(dialog, say) {
  /** @type {number | null} */
  let dieId = null;
  /** @type {AddedDie | null} */
  let added = null;
  /** @type {Snapshot} */
  let snapshot;

  const box = byId("pad-remember-box", HTMLInputElement);
  const crop = byId("pad-crop", HTMLCanvasElement);
  const current = () => diceOf(snapshot).find((die) => die.id === dieId);
  const dismissed = () =>
    /** @type {Die | undefined} */ (/** @type {unknown} */ (snapshot.ignored_dice?.find((die) => die.id === dieId)));

  /** @type {(method: string, path: string, body?: Word) => Promise<void>} */
  async function send(method, path, body) {
    const answer = await askSeen(method, path, body);
    if (!answer.ok) {
      say(answer.text);
      // The pad stays open on its die, so that no choice is lost; a refused correction shows the current value.
      return;
    }
    snapshot = answer.snapshot;
    const die = current();
    const isRead = isNumber(die?.value) && die?.colour;
    if ((body?.value || body?.face) && die && isRead && box.checked) learnFaces([die], say);
    if (added || !die || method === "DELETE" || body?.ignored === false || isRead) dialog.close();
    else draw();
  }

  /** @param {Word} word */
  function correct(word) {
    const { value, ...rest } = word;
    if (!added) return send("PATCH", `/api/dice/${dieId}`, value === 0 ? { ...rest, face: "blank" } : word);
    Object.assign(added, word.sides ? { value: null } : {}, word);
    draw();
    if (!isNumber(added.value) || !added.colour) return undefined;
    return send("POST", "/api/dice", /** @type {Word} */ ({ ...added }));
  }

  /** @param {{ value: number | null, colour: string | null, sides?: number }} die */
  function drawKeys(die) {
    const sides = die.sides ?? 6;
    const hasBlank = sides === 6 && (die.value === 0 || mayBeBlank(die.colour));
    render(
      [...valuesOf(sides), ...(hasBlank ? [0] : [])].map(
        (value) =>
          html`<button type="button" class="pad-key" data-value=${value} aria-pressed=${die.value === value} @click=${() => correct({ value })}>${faceWord(value)}${faceImage(die, value)}</button>`,
      ),
      byId("pad-values"),
    );
    const kinds = [...new Set([...taughtSides(), sides])];
    render(
      kinds.length < 2
        ? nothing
        : kinds.map(
            (kind) =>
              html`<button type="button" class="tool" data-sides=${kind} aria-pressed=${kind === sides} @click=${() => correct({ sides: kind })}>d${kind}</button>`,
          ),
      byId("pad-kinds"),
    );
    render(
      Object.keys(snapshot.colours ?? {}).map(
        (colour) =>
          html`<button type="button" class="pad-key pad-colour" data-colour=${colour} aria-pressed=${die.colour === colour} .style=${paint(colour, snapshot.colours)} @click=${() => correct({ colour })}>${plainWord(colour)}</button>`,
      ),
      byId("pad-colours"),
    );
  }

  /**
   * Title and note over the keys.
   * @param {Die} die
   * @param {boolean} away
   */
  function words(die, away) {
    if (away) return [t("page.pad.no_die"), t("page.pad.dismissed")];
    if (die.corrected) return [dieWords(die), t(die.added ? "page.pad.added" : "page.pad.corrected")];
    return [dieWords(die), die.unread ? t("page.pad.doubt", { what: capital(unreadWords(die)) }) : t("page.pad.wrong")];
  }

  function draw() {
    const lying = current();
    const die = lying ?? dismissed();
    if (!added && !die) {
      dialog.close();
      return;
    }
    const away = !added && !lying;
    byId("pad-values").hidden = away;
    byId("pad-colours").hidden = away;
    byId("pad-kinds").hidden = away;
    byId("pad-remember").hidden = Boolean(added) || away || rememberRule() === "never";
    byId("pad-no-die").hidden = Boolean(added) || away;
    byId("pad-undo").hidden = Boolean(added) || !(away || die?.corrected);
    byId("pad-undo").textContent = t(away ? "page.pad.undo_die" : die?.added ? "page.pad.undo_added" : "page.pad.undo");
    const [title, note] = die ? words(die, away) : [t("page.pad.add"), t("page.pad.add_note")];
    byId("pad-title").textContent = title;
    byId("pad-note").textContent = note;
    byId("pad-seen").textContent = die ? seenWords(die) : "";
    byId("pad-die").hidden = Boolean(snapshot.hidden || snapshot.covered);
    if (die && !byId("pad-die").hidden) drawCrops(dialog, snapshot, [die]);
    if (!current() || !byId("pad-why-figure").hidden) byId("pad-why").hidden = true;
    if (!away) drawKeys(/** @type {AddedDie | Die} */ (added ?? die));
  }

  const picture = byId("pad-why-picture", HTMLImageElement);
  byId("pad-why").addEventListener("click", () => {
    byId("pad-why").hidden = true;
    byId("pad-why-words").textContent = t("page.pad.explain_waits");
    picture.hidden = true;
    picture.src = `/api/dice/${dieId}/why.jpg?${Date.now()}`;
    byId("pad-why-figure").hidden = false;
  });
  picture.addEventListener("load", () => {
    picture.hidden = false;
    byId("pad-why-words").textContent = t("page.pad.explain_words");
  });
  picture.addEventListener("error", () => {
    byId("pad-why-words").textContent = t("page.pad.explain_none");
  });
  byId("pad-no-die").addEventListener("click", () => correct({ ignored: true }));
  byId("pad-undo").addEventListener("click", () => {
    if (current()) send("DELETE", `/api/dice/${dieId}/correction`);
    else correct({ ignored: false });
  });
  byId("pad-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  function show() {
    // Setting its width clears it: another die was shown there.
    crop.width = 256;
    crop.dataset.crop = String(dieId);
    delete crop.dataset.drawn;
    byId("pad-why-figure").hidden = true;
    byId("pad-why").hidden = false;
    draw();
    box.checked = false;
    loadFaces().then(() => {
      if (rememberRule() === "always" || (rememberRule() === "ask" && current()?.unread === "face_unknown"))
        box.checked = true;
      draw();
    });
    if (!dialog.open) dialog.showModal();
    /** @type {HTMLElement | null} */ (byId("pad-values").querySelector("[aria-pressed=true]"))?.focus();
  }

  return {
    /**
     * @param {number} id
     * @param {Snapshot} latest
     */
    open(id, latest) {
      dieId = id;
      added = null;
      snapshot = latest;
      if (current() || dismissed()) show();
    },
    /**
     * @param {Point} center
     * @param {Snapshot} latest
     */
    add(center, latest) {
      dieId = null;
      snapshot = latest;
      added = { center_px: center, value: null, colour: missingClass(latest), sides: 6 };
      show();
    },
    /** @param {Snapshot} latest */
    update(latest) {
      snapshot = latest;
      if (dialog.open) draw();
    },
    /** @param {number} value */
    press(value) {
      const most = (added ?? current())?.sides ?? 6;
      if (dialog.open && !byId("pad-values").hidden && value <= most) correct({ value });
    },
  };
}
