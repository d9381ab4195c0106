// @ts-check
// The correction pad: one tap opens it, a second sets value or colour class, or dismisses the die. Opened on an empty
// place of the picture, it adds a die there.

import { askSeen } from "../../../ui/lib/api.js";
import { paint } from "../../../ui/lib/drawing.js";
import { element } from "../../../ui/lib/dom.js";
import { valuesOf } from "../../../ui/lib/step-dice.js";
import { drawCrops } from "./crops.js";
import { missingClass } from "../lib/doubts.js";
import { learnFaces } from "../../../ui/components/learn-faces.js";
import { say } from "../../../ui/components/page.js";
import { faceOf, loadFaces, mayBeBlank, rememberRule, taughtSides } from "../../../ui/lib/taught-faces.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { capital, dieWords, diceOf, faceWord, plainWord, ruleWord, unreadWords } from "../../../ui/lib/words.js";

/** @import { Die, Point, Snapshot } from "../../../ui/lib/types.js" */
/** @typedef {{ center_px: Point, value: number | null, colour: string | null, sides: number }} AddedDie */
/** @typedef {{ value?: number, face?: string, colour?: string, sides?: number, ignored?: boolean }} Word */

const isNumber = (/** @type {unknown} */ value) => typeof value === "number";

/** The camera's reading of a die. @param {Die} die */
function seenWords(die) {
  const colour = die.read_colour ? ruleWord(die.read_colour) : null;
  if (isNumber(die.read_value))
    return t(colour ? "page.pad.read_colour" : "page.pad.read", { value: faceWord(die.read_value), colour });
  if (die.added) return t("page.pad.unseen");
  return t(colour ? "page.pad.unsure_colour" : "page.pad.unsure", { colour });
}

/** The set's own picture of a face. @param {{ colour: string | null, sides?: number }} die @param {number} value */
function faceImage({ colour, sides }, value) {
  const picture = faceOf(colour, value, sides);
  return picture ? html` <img src=${picture} alt="">` : nothing;
}

/** Title and note over the keys. @param {Die} die @param {boolean} away */
function titleWords(die, away) {
  if (away) return [t("page.pad.no_die"), t("page.pad.dismissed")];
  if (die.corrected) return [dieWords(die), t(die.added ? "page.pad.added" : "page.pad.corrected")];
  return [dieWords(die), die.unread ? t("page.pad.doubt", { what: capital(unreadWords(die)) }) : t("page.pad.wrong")];
}

export function correctionPad() {
  /** @type {HTMLDialogElement} */
  const dialog = element(
    html`<dialog id="pad" class="pad" aria-labelledby="pad-title" @click=${(/** @type {Event} */ { target }) => target === dialog && dialog.close()}></dialog>`,
  );
  document.body.append(dialog);
  /** @type {HTMLCanvasElement} */
  const crop = element(html`<canvas id="pad-crop" class="crop" height="256" aria-hidden="true"></canvas>`);
  /** @type {number | null} */
  let dieId = null;
  /** @type {AddedDie | null} */
  let added = null;
  /** @type {Snapshot} */
  let snapshot;
  let isToLearn = false;
  /** What explains the reading: its picture, once that has come. @type {"" | "waits" | "words" | "none"} */
  let why = "";

  const current = () => diceOf(snapshot).find((die) => die.id === dieId);
  const dismissed = () =>
    /** @type {Die | undefined} */ (/** @type {unknown} */ (snapshot.ignored_dice?.find((die) => die.id === dieId)));

  /** @type {(method: string, path: string, body?: Word) => Promise<void>} */
  async function send(method, path, body) {
    const answer = await askSeen(method, path, body);
    // The pad stays open on its die, so that no choice is lost; a refused correction shows the current value.
    if (!answer.ok) return say(answer.text);
    snapshot = answer.snapshot;
    const die = current();
    const isRead = isNumber(die?.value) && die?.colour;
    if ((body?.value || body?.face) && die && isRead && isToLearn) learnFaces([die]);
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
  function keysOf(die) {
    const { colours } = snapshot;
    const sides = die.sides ?? 6;
    const hasBlank = sides === 6 && (die.value === 0 || mayBeBlank(die.colour));
    const values = [...valuesOf(sides), ...(hasBlank ? [0] : [])].map(
      (value) =>
        html`<button type="button" class="pad-key" data-value=${value} aria-pressed=${die.value === value} @click=${() => correct({ value })}>${faceWord(value)}${faceImage(die, value)}</button>`,
    );
    const kinds = [...new Set([...taughtSides(), sides])].map(
      (kind) =>
        html`<button type="button" class="tool" data-sides=${kind} aria-pressed=${kind === sides} @click=${() => correct({ sides: kind })}>d${kind}</button>`,
    );
    const classes = Object.keys(colours ?? {}).map(
      (colour) =>
        html`<button type="button" class="pad-key pad-colour" data-colour=${colour} aria-pressed=${die.colour === colour} .style=${paint(colour, colours)} @click=${() => correct({ colour })}>${plainWord(colour)}</button>`,
    );
    return html`<div id="pad-kinds" class="pad-kinds" role="group" aria-label=${t("page.pad.kinds")}>${kinds.length < 2 ? nothing : kinds}</div>
      <div id="pad-values" class="pad-values" role="group" aria-label=${t("page.pad.values")}>${values}</div>
      <div id="pad-colours" class="pad-colours" role="group" aria-label=${t("page.pad.colours")}>${classes}</div>`;
  }

  function whyFigure() {
    const turn = (/** @type {"words" | "none"} */ to) => () => {
      why = to;
      draw();
    };
    return html`<figure class="pad-why">
      <img id="pad-why-picture" alt=${t("page.pad.explain_picture")} src="/api/dice/${dieId}/why.jpg?${looks}" ?hidden=${why !== "words"} @load=${turn("words")} @error=${turn("none")}>
      <figcaption>${t(`page.pad.explain_${why}`)}</figcaption>
    </figure>`;
  }

  /** @type {(id: string, text: string, onTap: () => unknown) => unknown} */
  const key = (id, text, onTap) =>
    html`<button id="pad-${id}" class="tool" type="button" @click=${onTap}>${t(`page.pad.${text}`)}</button>`;

  function draw() {
    const lying = current();
    const die = lying ?? dismissed();
    if (!added && !die) return dialog.close();
    const away = !added && !lying;
    const [title, note] = die ? titleWords(die, away) : [t("page.pad.add"), t("page.pad.add_note")];
    const undo = away ? "undo_die" : die?.added ? "undo_added" : "undo";
    const takeBack = () => (lying ? send("DELETE", `/api/dice/${dieId}/correction`) : correct({ ignored: false }));
    const isCovered = snapshot.hidden || snapshot.covered;
    render(
      html`${isCovered ? nothing : html`<figure class="pad-die">${crop}<figcaption id="pad-seen">${die ? seenWords(die) : ""}</figcaption></figure>`}
        <h2 id="pad-title">${title}</h2>
        <p id="pad-note" class="pad-note">${note}</p>
        ${away ? nothing : keysOf(/** @type {AddedDie | Die} */ (added ?? die))}
        ${lying && rememberRule() !== "never" ? html`<label id="pad-remember" class="pad-remember"><input id="pad-remember-box" type="checkbox" .checked=${isToLearn} @change=${() => (isToLearn = !isToLearn)}> ${t("page.pad.remember")}</label>` : nothing}
        ${why ? whyFigure() : nothing}
        <div class="pad-end">
          ${lying && !why ? key("why", "explain", explain) : nothing}
          ${lying ? key("no-die", "no_die", () => correct({ ignored: true })) : nothing}
          ${away || lying?.corrected ? key("undo", undo, takeBack) : nothing}
          <button id="pad-close" class="tool" type="button" @click=${() => dialog.close()}>${t("page.close")}</button>
        </div>`,
      dialog,
    );
    if (die && !isCovered) drawCrops(dialog, snapshot, [die]);
  }

  let looks = 0;
  function explain() {
    looks += 1;
    why = "waits";
    draw();
  }

  function show() {
    // Setting its width clears it: another die was shown there.
    crop.width = 256;
    crop.dataset.crop = String(dieId);
    delete crop.dataset.drawn;
    why = "";
    isToLearn = false;
    draw();
    loadFaces().then(() => {
      isToLearn ||= rememberRule() === "always" || (rememberRule() === "ask" && current()?.unread === "face_unknown");
      draw();
    });
    if (!dialog.open) dialog.showModal();
    /** @type {HTMLElement | null} */ (dialog.querySelector("#pad-values [aria-pressed=true]"))?.focus();
  }

  return {
    get isOpen() {
      return dialog.open;
    },
    /** @param {number} id @param {Snapshot} latest */
    open(id, latest) {
      dieId = id;
      added = null;
      snapshot = latest;
      if (current() || dismissed()) show();
    },
    /** @param {Point} center @param {Snapshot} latest */
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
      const die = added ?? current();
      if (dialog.open && die && value <= (die.sides ?? 6)) correct({ value });
    },
  };
}
