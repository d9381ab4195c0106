// @ts-check
// Whose roll it is, which dice to take, and who is next.

import { isPhone } from "../lib/dom.js";
import { paint } from "../lib/drawing.js";
import { takenWords } from "../lib/hand.js";
import { myName } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { ruleWord } from "../lib/words.js";

/** @import { AskedRoll, Colours, Snapshot, Taken } from "../lib/types.js" */

/**
 * @param {Taken[]} hand
 * @param {Colours} [colours]
 */
export function handOf(hand, colours) {
  return html`<ul class="hand" aria-label=${t("page.turn.take")}>${hand.map(
    (one) => html`<li class="taken" data-testid="taken" data-role=${one.role} data-count=${one.count}><span class="swatch" aria-hidden="true" .style=${paint(one.colour, colours)}></span>${takenWords(one, colours)}${one.colour === null ? nothing : html` <small>${ruleWord(one.role)}</small>`}</li>`,
  )}</ul>`;
}

/**
 * A roll that was asked for, in words: whose it is and what it is for, as far as somebody said.
 * @param {Pick<AskedRoll, "owner" | "label">} asked
 */
export function askedWords({ owner, label }) {
  if (owner && label) return t("page.turn.asked", { owner, label });
  return owner || label || t("page.turn.somebody");
}

/** @param {Snapshot} snapshot */
export function turnWords({ asked, take, state }) {
  if (asked) return asked.owner !== null && asked.owner === myName() ? t("page.turn.yours", { asked: askedWords(asked) }) : askedWords(asked);
  return isPhone && state === "empty" ? t(take?.length ? "page.turn.declared" : "page.turn.nobody") : "";
}

/** @param {AskedRoll[]} waiting */
export function nextWords(waiting) {
  const mine = myName() ? waiting.findIndex((one) => one.owner === myName()) : -1;
  if (mine === 0) return t("page.turn.you_next");
  const next = t("page.turn.next", { asked: waiting[0].owner ?? askedWords(waiting[0]) });
  if (mine > 0) return t("page.turn.you_wait", { next, count: mine });
  return waiting.length > 1 ? t("page.turn.more", { next, count: waiting.length - 1 }) : next;
}

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {() => void} onAsk
 */
export function renderTurns(strip, snapshot, onAsk) {
  const { asked = null, asked_next: waiting = [], take = [], colours } = snapshot;
  // Dice that lie there were taken: what is wrong with them the problems say.
  const hand = ["empty", "rolling"].includes(snapshot.state) && (asked || isPhone) ? take : [];
  strip.hidden = !asked && !waiting.length && !isPhone;
  strip.dataset.asked = String(Boolean(asked));
  strip.dataset.mine = String(asked?.owner !== undefined && asked?.owner !== null && asked.owner === myName());
  render(
    html`<p class="strip-text" role="status"><b data-testid="turn-owner">${turnWords(snapshot)}</b></p>
      ${hand.length ? handOf(hand, colours) : nothing}
      ${waiting.length ? html`<p class="next-turn" data-testid="next-turn">${nextWords(waiting)}</p>` : nothing}
      ${isPhone ? html`<div class="strip-buttons"><button type="button" class="tool" aria-haspopup="dialog" data-testid="ask-button" @click=${onAsk}>${t("page.turn.ask")}</button></div>` : nothing}`,
    strip,
  );
}
