// @ts-check
// The dice as a list, grouped by what is to be done with them; tap one to correct it.

import { bodyHex, icon, inkHex } from "../lib/drawing.js";
import { repeat } from "../lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { diceOf, kindOf, plural, unreadWords } from "../lib/words.js";

/** @import { Colours, Die, Snapshot } from "../lib/types.js" */

/** @type {Record<string, { icon: string, title: (state: string) => string }>} */
const GROUPS = {
  wrong: { icon: "wrong", title: () => "Wrong" },
  unread: { icon: "unread", title: () => "Tap and tell" },
  reroll: { icon: "reroll", title: (state) => (state === "awaiting_push" ? "Pick up" : "Reroll if pushed") },
  stay: { icon: "stay", title: (state) => (state === "awaiting_push" ? "Leave" : "Stay") },
  picked: { icon: "final", title: () => "Picked up" },
  final: { icon: "final", title: (state) => (state === "resolved" ? "Final dice" : "Dice") },
};

/** @type {Record<string, string>} */
const ASKS = {
  wrong: "part of a wrong push",
  unread: "not read",
  reroll: "to be rolled again",
  stay: "stays",
  picked: "picked up",
  final: "",
};

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
  const word = `${die.role && die.role !== die.colour ? die.role : die.colour ?? "colour?"}${sum}`;
  // Its name begins with what stands on it, so that whoever speaks to the page can call it by that.
  const words = [`${die.value ?? "?"} ${word}`, ASKS[kind], kind === "unread" ? unreadWords(die) : "", die.corrected ? "corrected by hand" : ""];
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
    aria-label="${words.filter(Boolean).join(", ")}. Tap to correct."
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
    const title = GROUPS[kind].title(snapshot.state);
    return html`<div class="group kind-${kind}">
      <h2 class="group-title kind-${kind}">${icon(GROUPS[kind].icon)}${title}<span class="count">${members.length}</span></h2>
      <div class="chips" role="group" aria-label="${title}: ${plural(members.length, "die", "dice")}">${repeat(members, (die) => die.id, (die) => chip(die, snapshot, kind, onTap))}</div>
    </div>`;
  };
  render(repeat(shown, ({ kind }) => kind, group), place);
  place.dataset.count = String(dice.length);
  const longest = Math.max(0, ...shown.map(({ members }) => members.length));
  place.dataset.size = dice.length > 12 ? "many" : dice.length > 8 || longest > 7 ? "some" : "few";
  if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-die-id="${CSS.escape(focused)}"]`))?.focus();
}
