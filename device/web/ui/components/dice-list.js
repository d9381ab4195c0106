// @ts-check
// The dice as a list, grouped by what to do with them; tap one to correct it.

import { MARKS, bodyHex, icon, inkHex } from "../lib/drawing.js";
import { OUTLINES, kindWord } from "../lib/step-dice.js";
import { faceOf, loadFaces } from "../lib/taught-faces.js";
import { t } from "../lib/texts.js";
import { repeat } from "../lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render, svg } from "../lib/vendor/lit-html/lit-html.js";
import { classWords, diceOf, faceSign, faceWord, unreadWords } from "../lib/words.js";

/** @import { Colours, Die, Snapshot } from "../lib/types.js" */

/** @type {(() => void) | null} */
let drawAgain = null;
/** @type {number | null | undefined} */
let roll = null;
addEventListener("taught-faces", () => drawAgain?.());

/** The groups in order: what to do with dice, then what they did. */
const ASKS = ["wrong", "unread", "reroll", "stay", null, "picked"];

/**
 * Dice with the same thing to do. Those that stay, or need nothing, also did the same.
 * @typedef {{ key: string, ask: Die["ask"], mark: Die["mark"] | null, members: Die[] }} Group
 */

/** @param {Die[]} dice @returns {Group[]} */
export function groupsOf(dice) {
  const groups = ASKS.flatMap((ask) =>
    (ask === null || ask === "stay" ? [...MARKS, null] : [null]).map((mark) => ({ ask, mark })),
  );
  return /** @type {Group[]} */ (groups)
    .map((group) => {
      const isMarked = group.ask === null || group.ask === "stay";
      const members = dice.filter(
        (die) => (die.ask ?? null) === group.ask && (!isMarked || (die.mark ?? null) === group.mark),
      );
      return { ...group, key: `${group.ask} ${group.mark}`, members };
    })
    .filter(({ members }) => members.length);
}

/**
 * The title of a group, and its text for screen readers, where a padlock would show that dice stay.
 * @param {Group} group
 * @param {Snapshot} snapshot
 */
function groupTitles({ ask, mark }, { state, awaiting }) {
  const isNow = (state === "awaiting_push" || awaiting) && (ask === "reroll" || ask === "stay");
  const act = ask === null ? t("page.group.final") : t(isNow ? `page.group.${ask}_now` : `page.group.${ask}`);
  const did = mark && t(`page.mark.${mark}`);
  return { title: did ?? act, spoken: did && ask ? t("page.group.both", { act, did }) : (did ?? act) };
}

/** @param {Die} die @param {Colours} [colours] */
function dieFace(die, colours) {
  const picture = faceOf(die.colour, die.value, die.sides);
  if (picture)
    return html`<svg viewBox="0 0 64 64" class="face" aria-hidden="true"><image href=${picture} x="7" y="7" width="50" height="50"></image><circle cx="52" cy="52" r="11" fill="#ffffff"></circle><text x="52" y="58" text-anchor="middle" fill="#17191c" class="face-corner">${faceSign(die.value)}</text></svg>`;
  const body = bodyHex(die.colour, colours);
  const outline = OUTLINES[die.sides ?? 6];
  const shape = outline
    ? svg`<polygon points=${outline} fill=${body} class="face-body"></polygon>`
    : svg`<rect x="7" y="7" width="50" height="50" rx="11" fill=${body} class="face-body"></rect>`;
  return html`<svg viewBox="0 0 64 64" class="face" aria-hidden="true">${shape}<text x="32" y="46" text-anchor="middle" fill=${inkHex(die.colour, colours)} class="face-value">${faceSign(die.value)}</text></svg>`;
}

/** @param {Die} die @param {Snapshot} snapshot @param {(id: number) => unknown} onTap */
function chip(die, snapshot, onTap) {
  const { ask = null, mark = null } = die;
  const sign = ask && ask !== "stay" ? ask : mark;
  // An exploding die shows its earlier faces as well.
  const sum = die.earlier?.length ? ` ${[...die.earlier, die.value].map(faceSign).join(" + ")}` : "";
  const word = `${classWords(die)}${kindWord(die.sides)}${sum}`.trim();
  // Its name starts with its visible text, for voice control.
  const words = [
    `${faceWord(die.value)} ${word}`.trim(),
    mark ? t(`page.mark.${mark}`) : "",
    ask ? t(`page.chip.${ask}`) : "",
    ask === "unread" ? unreadWords(die) : "",
    die.corrected ? t("page.chip.by_hand") : "",
  ];
  return html`<button
    type="button"
    class="chip kind-${ask ?? "final"} mark-${mark ?? "none"}"
    data-testid="die"
    data-die-id=${die.id}
    data-earlier=${die.earlier?.length || nothing}
    data-colour=${die.colour ?? ""}
    data-value=${die.value ?? ""}
    data-locked=${Boolean(die.locked)}
    data-mark=${mark ?? ""}
    data-must-reroll=${Boolean(die.must_reroll)}
    data-corrected=${Boolean(die.corrected)}
    data-wrong=${Boolean(die.wrong)}
    aria-label=${t("page.chip.tap", { words: words.filter(Boolean).join(", ") })}
    @click=${() => onTap(die.id)}
  >${dieFace(die, snapshot.colours)}${sign === null || sign === "picked" ? nothing : html`<span class="badge">${icon(sign)}</span>`}${die.corrected ? html`<span class="badge by-hand">${icon("corrected")}</span>` : nothing} <span class="class">${word}</span></button>`;
}

/**
 * By class in the palette's order, highest value first: easy to compare with the table.
 * @param {Die[]} dice
 * @param {Colours} [colours]
 */
export function inOrder(dice, colours) {
  const names = Object.keys(colours ?? {});
  /** @param {Die} die */
  const place = (die) => (die.colour !== null && names.includes(die.colour) ? names.indexOf(die.colour) : names.length);
  return [...dice].sort((a, b) => place(a) - place(b) || (b.value ?? 0) - (a.value ?? 0) || a.id - b.id);
}

/** @param {HTMLElement} place @param {Snapshot} snapshot @param {(id: number) => unknown} onTap */
export function renderDice(place, snapshot, onTap) {
  // Another page may have taught others since the last roll.
  if (!drawAgain || snapshot.roll !== roll) loadFaces();
  roll = snapshot.roll;
  drawAgain = () => renderDice(place, snapshot, onTap);
  const focused = document.activeElement?.closest("[data-die-id]")?.getAttribute("data-die-id");
  const dice = inOrder(diceOf(snapshot), snapshot.colours);
  const shown = groupsOf(dice);
  // Keyed by id: a tap must never hit a die other than the one touched.
  const group = (/** @type {Group} */ one) => {
    const { title, spoken } = groupTitles(one, snapshot);
    const { ask, mark, members } = one;
    const label = t("page.group.label", { group: spoken, dice: t("page.dice", { count: members.length }) });
    const each = (/** @type {Die} */ die) => chip(die, snapshot, onTap);
    return html`<div class="group kind-${ask ?? "final"} mark-${mark ?? "none"}">
      <h2 class="group-title">${ask ? icon(ask) : nothing}${mark ? icon(mark) : nothing}${title}<span class="count">${members.length}</span></h2>
      <div class="chips" role="group" aria-label=${label}>${repeat(members, (die) => die.id, each)}</div>
    </div>`;
  };
  const groups = repeat(shown, ({ key }) => key, group);
  render(groups, place);
  if (focused)
    /** @type {HTMLElement | null} */ (place.querySelector(`[data-die-id="${CSS.escape(focused)}"]`))?.focus();
}
