// @ts-check
// The current player, target and dice, the next player, and hidden rolls that can be shown.

import { isPhone } from "../lib/dom.js";
import { paint } from "../lib/drawing.js";
import { takenWords } from "../lib/hand.js";
import { isMaster, isMine, myName } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { isTurnHeadline, ruleWord } from "../lib/words.js";

/** @import { Book, Colours, RollRequest, Snapshot, Taken, Together, Unshown } from "../lib/types.js" */

/** @param {Taken[]} hand @param {Colours} [colours] */
export function handOf(hand, colours) {
  return html`<ul class="hand" aria-label=${t("page.turn.take")}>${hand.map(
    (one) =>
      html`<li class="taken" data-testid="taken" data-role=${one.role} data-count=${one.count}><span class="swatch" aria-hidden="true" .style=${paint(one.colour, colours)}></span>${takenWords(one, colours)}${one.colour === null ? nothing : html` <small>${ruleWord(one.role)}</small>`}</li>`,
  )}</ul>`;
}

/** @param {Snapshot} snapshot */
export function turnWords({ asked: request, take, state, outcome }) {
  // Once the dice lie there, the turn is over.
  if (request) return isMine(request) && !outcome ? t("page.turn.yours", { roll: request.text }) : request.text;
  return isPhone && state === "empty" ? t(take?.length ? "page.turn.declared" : "page.turn.nobody") : "";
}

/** @param {RollRequest[]} waiting */
export function nextWords(waiting) {
  const mine = waiting.findIndex(isMine);
  if (mine === 0) return t("page.turn.you_next");
  const [first, second] = waiting.map((one) => one.owner ?? one.text);
  const next = t("page.turn.next", { roll: first });
  if (mine > 0) return t("page.turn.you_wait", { next, count: mine });
  if (second === undefined) return next;
  // A phone has room for one name.
  if (isPhone) return t("page.turn.more", { next, count: waiting.length - 1 });
  const then = t("page.turn.then", { next, roll: second });
  return waiting.length > 2 ? t("page.turn.more", { next: then, count: waiting.length - 2 }) : then;
}

/** The target of a requested roll, and whether it is hidden. @param {Pick<RollRequest, "aim_text" | "hidden">} request */
export function aboutWords({ aim_text: aim, hidden }) {
  return [aim, hidden ? t("page.turn.hidden") : ""].filter(Boolean).join(" · ");
}

/** Waiting rolls, each can be taken back. @param {RollRequest[]} rolls @param {Snapshot} snapshot @param {Book} book */
export function waitingRolls(rolls, { colours }, book) {
  const rows = rolls.map((request) => {
    const about = aboutWords(request);
    return html`<li><span>${request.text}${about ? html` <span class="quiet">${about}</span>` : nothing}</span>${handOf(request.take ?? [], colours)}<button type="button" class="tool" data-testid="drop-request" aria-label=${t("page.turn.drop_one", { roll: request.text })} @click=${() => book.send("DELETE", `/api/asked/${request.id}`)}>${t("page.turn.drop")}</button></li>`;
  });
  return rows.length ? html`<h3>${t("page.turn.waiting")}</h3><ol>${rows}</ol>` : nothing;
}

/** The progress of linked rolls, as in "Ann 2 · Zo rolls · Bo". @param {Together} together */
export function sidesWords({ members }) {
  return members
    .map(({ owner, turn, roll, count }) => {
      const name = owner ?? t("page.turn.somebody");
      if (roll !== null) return `${name} ${count ?? "?"}`;
      return turn === "now" ? t("page.turn.rolls", { owner: name }) : name;
    })
    .join(" · ");
}

/** The same for all linked rolls without a result yet. @param {Together[]} together */
export function sidesOf(together) {
  return together
    .filter(({ text }) => !text)
    .map(sidesWords)
    .join("; ");
}

/**
 * Hidden rolls that can be shown: finished ones and the current one.
 * @param {Snapshot} snapshot
 * @returns {Pick<Unshown, "id" | "owner" | "label">[]}
 */
export function hiddenRolls({ asked: request, state, unshown = [] }) {
  const isScored = state === "scored" || state === "resolved";
  return request?.hidden && isScored ? [...unshown, request] : unshown;
}

/**
 * A button for each hidden roll that this device may show, as the display and the game master's phone may.
 * @param {Snapshot} snapshot
 * @param {Book} book
 */
export function showKeys(snapshot, book) {
  if (!isMaster()) return [];
  return hiddenRolls(snapshot).map(
    (one) =>
      html`<button type="button" class="tool" data-testid="show-hidden" @click=${() => book.send("POST", `/api/asked/${one.id}/show`)}>${t("page.turn.show", { roll: one.owner ?? one.label ?? t("page.turn.somebody") })}</button>`,
  );
}

/**
 * Whether the result has no owner, at a table with characters. If it costs something, the strip of the costs asks whose it is.
 * @param {Snapshot} snapshot
 */
export function isNamelessRoll({ asked: request, state, sheets, system, consequences }) {
  const isScored = state === "scored" || state === "resolved";
  return !request && isScored && !consequences && Boolean(sheets?.some((one) => one.system === system));
}

/**
 * @param {HTMLElement} strip
 * @param {Snapshot} snapshot
 * @param {() => void} onAsk
 * @param {Book} book
 * @param {() => void} onWhose asks whose roll it is
 */
export function renderTurns(strip, snapshot, onAsk, book, onWhose) {
  const { asked: request = null, asked_next: waiting = [], take = [], together = [], colours } = snapshot;
  // The dice have been thrown: problems show what is wrong with them.
  const hand = ["empty", "rolling"].includes(snapshot.state) && (request || isPhone) ? take : [];
  const toShow = showKeys(snapshot, book);
  const isNameless = isNamelessRoll(snapshot);
  const whose = (request || isNameless) && isMaster();
  strip.hidden = !request && !waiting.length && !isPhone && !toShow.length && !isNameless;
  strip.dataset.requested = String(Boolean(request));
  strip.dataset.mine = String(isMine(request));
  const about = request ? aboutWords(request) : "";
  // The headline says it already.
  const whoseTurn = isTurnHeadline(snapshot) && strip.dataset.mine !== "true" ? "" : turnWords(snapshot);
  const otherWords = toShow.length ? t("page.headline.hidden") : isNameless ? t("page.whose.nobodys") : "";
  const words = whoseTurn || otherWords;
  const sides = sidesOf(together);
  render(
    html`${words || about ? html`<p class=${words ? "strip-text" : "next-turn"} role="status">${words ? html`<b data-testid="turn-owner">${words}</b> ` : nothing}${about ? html`<span class="about" data-testid="turn-aim">${about}</span>` : nothing}</p>` : nothing}
      ${hand.length ? handOf(hand, colours) : nothing}
      ${sides ? html`<p class="next-turn" data-testid="turn-sides">${sides}</p>` : nothing}
      ${waiting.length ? html`<p class="next-turn" data-testid="next-turn">${nextWords(waiting)}</p>` : nothing}
      ${isPhone || toShow.length || whose ? html`<div class="strip-buttons">${toShow}${whose ? html`<button type="button" class="tool" aria-haspopup="dialog" data-testid="whose-button" @click=${onWhose}>${t("page.whose.title")}</button>` : nothing}${isPhone && !myName() ? html`<a class="tool link" href="/me" data-testid="who">${t("page.me.who")}</a>` : nothing}${isPhone ? html`<button type="button" class="tool" aria-haspopup="dialog" data-testid="ask-button" @click=${onAsk}>${t("page.turn.ask")}</button>` : nothing}</div>` : nothing}`,
    strip,
  );
}
