// @ts-check
// The dice as a list, grouped by what is to be done with them; tap one to correct it.

import { bodyHex, icon, inkHex } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { repeat } from "../lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { classWords, diceOf, kindOf, unreadWords } from "../lib/words.js";

/** @import { Colours, Die, Snapshot } from "../lib/types.js" */

/**
 * The groups in order, each with its sign; where the second state holds its title is another one.
 * @type {Record<string, { icon: string, now?: string }>}
 */
const GROUPS = {
  wrong: { icon: "wrong" },
  unread: { icon: "unread" },
  reroll: { icon: "reroll", now: "awaiting_push" },
  stay: { icon: "stay", now: "awaiting_push" },
  picked: { icon: "final" },
  final: { icon: "final", now: "resolved" },
};

/**
 * @param {string} kind
 * @param {string} state
 */
function groupTitle(kind, state) {
  return t(GROUPS[kind].now === state ? `page.group.${kind}_now` : `page.group.${kind}`);
}

/**
 * @param {Die} die
 * @param {Colours} [colours]
 */
function dieFace(die, colours) {
  const ink = die.colour ? inkHex(die.colour, colours) : "#17191c";
  return html`<svg viewBox="0 0 64 64" class="face" aria-hidden="true"><rect x="7" y="7" width="50" height="50" rx="11" fill=${bodyHex(die.colour, colours)} class="face-body"></rect><text x="32" y="46" text-anchor="middle" fill=${ink} class="face-value">${die.value ?? "?"}</text></svg>`;
}

/**
 * @param {Die} die
 * @param {Snapshot} snapshot
 * @param {string} kind
 * @param {(id: number) => unknown} onTap
 */
function chip(die, snapshot, kind, onTap) {
  // A die that was thrown again and adds up shows its earlier faces too.
  const sum = die.earlier?.length ? ` ${[...die.earlier, die.value ?? "?"].join(" + ")}` : "";
  const word = `${classWords(die)}${sum}`.trim();
  // Its name begins with what stands on it, so that whoever speaks to the page can call it by that.
  const words = [`${die.value ?? "?"} ${word}`.trim(), kind === "final" ? "" : t(`page.chip.${kind}`), kind === "unread" ? unreadWords(die) : "", die.corrected ? t("page.chip.by_hand") : ""];
  return html`<button
    type="button"
    class="chip kind-${kind}"
    data-testid="die"
    data-die-id=${die.id}
    data-earlier=${die.earlier?.length || nothing}
    data-colour=${die.colour ?? ""}
    data-value=${die.value ?? ""}
    data-locked=${Boolean(die.locked)}
    data-must-reroll=${Boolean(die.must_reroll)}
    data-corrected=${Boolean(die.corrected)}
    data-wrong=${Boolean(die.wrong)}
    aria-label=${t("page.chip.tap", { words: words.filter(Boolean).join(", ") })}
    @click=${() => onTap(die.id)}
  >${dieFace(die, snapshot.colours)}${kind === "final" || kind === "picked" ? nothing : html`<span class="badge">${icon(kind)}</span>`}${die.corrected ? html`<span class="badge by-hand">${icon("corrected")}</span>` : nothing} <span class="class">${word}</span></button>`;
}

/**
 * Class by class as the palette names them, highest value first: easy to compare with what lies on the table.
 * @param {Die[]} dice
 * @param {Colours} [colours]
 */
export function inOrder(dice, colours) {
  const names = Object.keys(colours ?? {});
  /** @param {Die} die */
  const place = (die) => (die.colour !== null && names.includes(die.colour) ? names.indexOf(die.colour) : names.length);
  return [...dice].sort((a, b) => place(a) - place(b) || (b.value ?? 0) - (a.value ?? 0) || a.id - b.id);
}

/**
 * @param {HTMLElement} place
 * @param {Snapshot} snapshot
 * @param {(id: number) => unknown} onTap
 */
export function renderDice(place, snapshot, onTap) {
  const focused = document.activeElement?.closest("[data-die-id]")?.getAttribute("data-die-id");
  const dice = inOrder(diceOf(snapshot), snapshot.colours);
  const groups = Object.keys(GROUPS).map((kind) => ({ kind, members: dice.filter((die) => kindOf(die, snapshot.state) === kind) }));
  const shown = groups.filter(({ members }) => members.length);
  // By their ids: a tap must never meet another die than the finger went down on.
  const group = (/** @type {typeof shown[0]} */ { kind, members }) => {
    const title = groupTitle(kind, snapshot.state);
    return html`<div class="group kind-${kind}">
      <h2 class="group-title kind-${kind}">${icon(GROUPS[kind].icon)}${title}<span class="count">${members.length}</span></h2>
      <div class="chips" role="group" aria-label=${t("page.group.label", { group: title, dice: t("page.dice", { count: members.length }) })}>${repeat(members, (die) => die.id, (die) => chip(die, snapshot, kind, onTap))}</div>
    </div>`;
  };
  render(repeat(shown, ({ kind }) => kind, group), place);
  place.dataset.count = String(dice.length);
  const longest = Math.max(0, ...shown.map(({ members }) => members.length));
  place.dataset.size = dice.length > 24 ? "crowd" : dice.length > 12 ? "many" : dice.length > 8 || longest > 7 ? "some" : "few";
  if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-die-id="${CSS.escape(focused)}"]`))?.focus();
}
