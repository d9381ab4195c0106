// @ts-check
// Manual dice: tap one, then tap what it shows. Those that the tray reads are folded away.

import { element } from "../../../ui/lib/dom.js";
import { OUTLINES, valuesOf } from "../../../ui/lib/step-dice.js";
import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Book, Level, Snapshot, TypedDie } from "../../../ui/lib/types.js" */
/** @typedef {{ id?: number, level: string, sides: number, value: number | null, role?: string }} OpenDie */

/** @param {TypedDie} die */
function stepDieFace(die) {
  return html`<svg viewBox="0 0 64 64" class="step-die" aria-hidden="true"><polygon points=${OUTLINES[die.sides] ?? OUTLINES[12]}></polygon><text x="32" y="42" text-anchor="middle">${die.value ?? "?"}</text></svg>`;
}

// The levels of which a die may be tapped in. Dice that a prepared roll has declared are enough; without one, any may be
// added.
/** @param {Snapshot} snapshot @param {Book} book @returns {Level[]} */
export function levelsToAdd(snapshot, { tiles }) {
  const mayAdd =
    !(snapshot.typed_dice ?? []).some((die) => die.declared) && ["empty", "scored", "unclear"].includes(snapshot.state);
  return mayAdd && tiles?.system === snapshot.system ? (tiles.typed_levels ?? []) : [];
}

/** @param {HTMLElement} strip @param {Book} book */
export function typedDice(strip, book) {
  /** @type {Snapshot} */
  let snapshot;
  /** @type {OpenDie} */
  let open;
  let isByHand = false;
  /** @type {HTMLDialogElement} */
  const dialog = element(
    html`<dialog id="typed-pad" class="pad" aria-labelledby="typed-title" @click=${(/** @type {Event} */ { target }) => target === dialog && dialog.close()}></dialog>`,
  );
  document.body.append(dialog);

  const dice = () => snapshot.typed_dice ?? [];
  /** @param {{ sides: number, value?: number | null }} die */
  const isRead = ({ sides, value = null }) => value === null && snapshot.read_sides.includes(sides);
  /** @param {{ sides: number, value?: number | null }} die */
  const isShown = (die) => isByHand || !isRead(die);

  async function takeAway() {
    if (await book.sendSeen("DELETE", `/api/typed-dice/${open.id}`)) dialog.close();
  }

  /** @param {number} value */
  async function say(value) {
    const entry = open;
    const answer =
      entry.id === undefined
        ? await book.send("POST", "/api/typed-dice", { level: entry.level, role: entry.role, value })
        : await book.sendSeen("PATCH", `/api/typed-dice/${entry.id}`, { value });
    if (!answer) return;
    snapshot = answer;
    // The next one without a face, so that two dice need no extra taps.
    const next = entry.id === undefined ? null : dice().find((die) => die.value === null && isShown(die));
    if (next) show(next);
    else dialog.close();
  }

  /** @param {OpenDie} die */
  function show(die) {
    open = die;
    dialog.dataset.sides = String(die.sides);
    dialog.dataset.die = String(die.id ?? "new");
    const keys = valuesOf(die.sides).map(
      (value) =>
        html`<button type="button" class="pad-key" data-value=${value} aria-pressed=${die.value === value} @click=${() => say(value)}>${value}</button>`,
    );
    render(
      html`<h2 id="typed-title">${t("page.typed.asks", { die: `d${die.sides}`, level: die.level })}</h2>
        <div class="typed-values" role="group" aria-label=${t("page.pad.values")}>${keys}</div>
        <div class="pad-end">${die.id === undefined ? nothing : html`<button type="button" class="tool" @click=${takeAway}>${t("page.typed.away")}</button>`}<button type="button" class="tool" @click=${() => dialog.close()}>${t("page.close")}</button></div>`,
      dialog,
    );
    if (!dialog.open) dialog.showModal();
  }

  /** @param {TypedDie} die */
  function chip(die) {
    const to = die.value === null ? "tap" : die.must_reroll ? "goes" : die.locked ? "stays" : null;
    const ask = to ? t(`page.typed.${to}`) : "";
    return html`<button type="button" class=${die.value === null ? "typed-die wanted" : "typed-die"} data-testid="typed-die" data-typed-id=${die.id} data-level=${die.level} data-value=${die.value ?? ""} data-locked=${die.locked} data-must-reroll=${die.must_reroll} aria-label="${die.value ?? "?"} d${die.sides} ${ask}" @click=${() => show(die)}>${stepDieFace(die)} <span>d${die.sides} <small>${ask}</small></span></button>`;
  }

  /** @param {Level} level */
  function addKey({ level, sides }) {
    return html`<button type="button" class="key add-die" data-level=${level} aria-label=${t("page.typed.add", { die: `d${sides}` })} @click=${() => show({ level, sides, value: null, role: snapshot.pool_roles?.[0] ?? "base" })}>+ d${sides}</button>`;
  }

  function draw() {
    const levels = levelsToAdd(snapshot, book);
    const all = [...dice(), ...levels];
    const byHand = html`<button type="button" class="key by-hand" aria-expanded=${isByHand} @click=${() => fold(!isByHand)}>${t("page.typed.by_hand")}</button>`;
    strip.hidden = !all.length;
    render(
      html`${all.some(isShown) ? html`<h2>${t("page.typed.strip")}</h2>` : nothing}<div class="typed-row">${repeat(dice().filter(isShown), (die) => die.id, chip)}${levels.filter(isShown).map(addKey)}${all.some(isRead) ? byHand : nothing}</div>`,
      strip,
    );
  }

  /** @param {boolean} isOpen */
  function fold(isOpen) {
    isByHand = isOpen;
    draw();
  }
  dialog.addEventListener("close", () => fold(false));

  return {
    /** @param {Snapshot} latest */
    update(latest) {
      snapshot = latest;
      draw();
    },
    /** A number key in an open pad; a one is a one, since ten and more need a tap anyway. @param {number} value */
    press(value) {
      if (dialog.open && value <= Number(dialog.dataset.sides)) say(value);
    },
  };
}
