// @ts-check
// Asking for a roll: who rolls, what for, which dice; and which rolls wait already.

import { paint } from "../lib/drawing.js";
import { element, isPhone } from "../lib/dom.js";
import { classOf, kindOfDice, taken } from "../lib/hand.js";
import { keepName, myName, myRole } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { stepper } from "./stepper.js";
import { askedWords, handOf } from "./turns.js";

/** @import { AskedRoll, Book, Counts, Snapshot } from "../lib/types.js" */

const MOST = 20;
const MOST_LETTERS = 40;

/**
 * @param {Book} book
 * @param {() => void} onName called when the name of this device's player has changed
 */
export function askPanel(book, onName) {
  /** @type {Snapshot} */
  let snapshot;
  /** @type {Counts} */
  let counts = {};
  let roles = "";
  /** @type {HTMLInputElement} */
  const who = element(html`<input maxlength=${MOST_LETTERS} autocomplete="off" data-testid="ask-owner" @input=${drawName}>`);
  /** @type {HTMLInputElement} */
  const what = element(html`<input maxlength=${MOST_LETTERS} autocomplete="off" data-testid="ask-label">`);
  const mine = element(html`<div class="keys-row"></div>`);
  const dice = element(html`<div class="tiles" role="group" aria-label=${t("page.turn.dice")}></div>`);
  const queue = element(html`<section class="waiting" aria-label=${t("page.turn.waiting")}></section>`);
  const foot = element(html`<div class="panel-foot"></div>`);
  const self = panel(
    "ask-roll",
    t("page.turn.ask"),
    html`<label class="field who"><span>${t("page.turn.who")}</span>${who}</label>${mine}<label class="field who"><span>${t("page.turn.what")}</span>${what}</label>${dice}${queue}`,
    foot,
  );

  const owner = () => who.value.trim();

  function drawName() {
    const isMine = owner() !== "" && owner() === myName();
    // A player's phone has its name from the tray, and asks for no other player.
    who.readOnly = myRole() === "player";
    const mayKeep = isPhone && myRole() === "table" && (owner() !== "" || isMine);
    render(mayKeep ? html`<button type="button" class="key switch" data-testid="ask-mine" aria-pressed=${isMine} @click=${() => keep(isMine ? "" : owner())}>${t("page.turn.mine")}</button>` : nothing, mine);
  }

  /** @param {string} name */
  function keep(name) {
    keepName(name);
    drawName();
    onName();
  }

  function drawDice() {
    const { pool_roles: known = [], roles: played = {}, colours } = snapshot;
    const key = JSON.stringify([known, played, colours]);
    if (key === roles) return;
    roles = key;
    counts = {};
    render(
      known.map((role) => {
        const label = classOf(role, played);
        const swatch = label === null ? nothing : html` <span class="swatch" aria-hidden="true" .style=${paint(label, colours)}></span>`;
        const one = stepper(kindOfDice(role, label, colours), 0, MOST, (count) => {
          counts[role] = count;
          one.tell(count, swatch);
          drawFoot();
        });
        one.tell(0, swatch);
        one.node.dataset.role = role;
        return one.node;
      }),
      dice,
    );
  }

  /** @param {AskedRoll} asked */
  function waitingRow(asked) {
    const words = askedWords(asked);
    return html`<li><span>${words}</span>${handOf(asked.take ?? [], snapshot.colours)}<button type="button" class="tool" data-testid="drop-asked" aria-label=${t("page.turn.drop_one", { asked: words })} @click=${() => book.wish("DELETE", `/api/asked/${asked.id}`)}>${t("page.turn.drop")}</button></li>`;
  }

  function drawQueue() {
    const { asked, asked_next: waiting = [], state } = snapshot;
    // The one whose turn it is may be taken back until its dice are thrown.
    const open = asked && state === "empty" ? [{ ...asked, take: snapshot.take }, ...waiting] : waiting;
    render(open.length ? html`<h3>${t("page.turn.waiting")}</h3><ol>${open.map(waitingRow)}</ol>` : nothing, queue);
  }

  function drawFoot() {
    const hand = taken(counts, snapshot.roles ?? {});
    render(
      html`<div class="answer">${hand.length ? handOf(hand, snapshot.colours) : html`<p class="notes">${t("page.turn.any")}</p>`}</div>
        <div class="foot-buttons"><button type="button" class="button go" data-testid="ask-go" @click=${go}>${t("page.turn.go")}</button></div>`,
      foot,
    );
  }

  async function go() {
    const name = owner();
    const order = { owner: name || null, label: what.value.trim() || null, dice: counts };
    if (!(await book.wish("POST", "/api/asked", order))) return;
    if (isPhone && myRole() === "table" && name && !myName()) keep(name);
    what.value = "";
    roles = "";
    self.close();
  }

  function draw() {
    drawDice();
    drawQueue();
    drawFoot();
  }
  document.body.append(self.node);

  return {
    /** @param {Snapshot} latest */
    update(latest) {
      snapshot = latest;
      if (self.isOpen) draw();
    },
    /**
     * @param {Snapshot} latest
     * @param {string} [asked] the player who is asked
     */
    open(latest, asked) {
      snapshot = latest;
      if (asked !== undefined) who.value = asked;
      else if (myRole() === "player") who.value = myName();
      else who.value ||= myName();
      drawName();
      draw();
      self.open();
    },
  };
}
