// @ts-check
// Roll requests: player, purpose, dice, target, hidden or not, linked rolls; and the waiting requests.

import { paint } from "../lib/drawing.js";
import { element, isPhone } from "../lib/dom.js";
import { classOf, kindOfDice, taken } from "../lib/hand.js";
import { keepName, myName, myRole, mySheets } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { choiceKeys, tileFields } from "./fields.js";
import { knownPlayers, nameKeys } from "./name-keys.js";
import { isTapped, rollName, scaleOf, tappedFor, tappedOn, tappedToo } from "../lib/skill-roll.js";
import { plainWord } from "../lib/words.js";
import { stepper } from "./stepper.js";
import { handOf, waitingRolls } from "./turns.js";

/** @import { Tapped } from "../lib/skill-roll.js" */
/** @import { Book, Counts, Sheet, Snapshot, Value } from "../lib/types.js" */

/** @typedef {Map<string, ReturnType<typeof stepper>>} Steppers */

const MAX_DICE = 20;
const MAX_LETTERS = 40;
/** @type {("alone" | "opposed" | "group")[]} */
const KINDS = ["alone", "opposed", "group"];

/** The typed names, separated by commas. @param {string} text */
export const namesIn = (text) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

/**
 * What a player rolls: tiles of a sheet, dice, or both, if dice were changed afterwards.
 * @typedef {{ tiles?: Tapped, sheet?: number, dice?: Counts, levels?: Counts }} Rolled
 */

/**
 * The request: one roll, or linked rolls.
 * @param {{ kind: string, owner: string, others: string[], thrower: string, label: string, rolled: Rolled, rolledBy: (other: string) => Rolled, aim: Record<string, Value>, hidden: string }} order
 * @returns {[path: string, order: object]}
 */
export function orderOf({ kind, owner, others, thrower, label, rolled, rolledBy, aim, hidden }) {
  const mine = { owner: owner || null, ...rolled, thrower: thrower || null };
  if (kind === "alone") return ["/api/asked", { ...mine, label: label || null, aim, hidden: hidden !== "open" }];
  const rolls = [
    { ...mine, owner: owner || t("page.turn.somebody"), hidden: hidden === "all" },
    ...others.map((name) => ({ owner: name, ...rolledBy(name), hidden: hidden !== "open" })),
  ];
  return ["/api/asked/together", { kind, rolls, label: label || null, aim }];
}

/**
 * @param {Book} book
 * @param {() => void} onName called when the name of this device's player has changed
 * @param {(owner: string) => Sheet | undefined} [sheetOf] the sheet that a player holds; by default the one of that name
 */
export function askPanel(book, onName, sheetOf = () => undefined) {
  /** @type {Snapshot} */
  let snapshot;
  /** @type {Record<string, Value>} */
  let aim = {};
  /** @type {unknown} */
  let aims;
  let drawn = "";
  /** The name that the tapped counters gave. */
  let named = "";
  let [kind, hidden] = ["alone", "open"];
  /** @type {(testId: string, letters?: number) => HTMLInputElement} */
  const field = (testId, letters = MAX_LETTERS) =>
    element(html`<input maxlength=${letters} autocomplete="off" data-testid=${testId} @input=${draw}>`);
  const [who, what, thrower] = [field("ask-owner"), field("ask-label"), field("ask-thrower")];
  const others = field("ask-others", MAX_DICE * MAX_LETTERS);
  /** A tap on a name writes it. @param {HTMLInputElement} input */
  const keysFor = (input, write = (/** @type {string} */ name) => name) =>
    nameKeys((name) => {
      input.value = write(name);
      draw();
    });
  const whoKeys = keysFor(who);
  const throwerKeys = keysFor(thrower);
  // A second tap takes the name out again.
  const otherKeys = keysFor(others, (name) => {
    const there = namesIn(others.value);
    return (there.includes(name) ? there.filter((one) => one !== name) : [...there, name]).join(", ");
  });
  const kinds = waysOf(t("page.turn.together"), "as", KINDS, (picked) => {
    [kind, hidden] = [picked, "open"];
    draw();
  });
  const ends = ["alone", "opposed"].map((one) =>
    waysOf(t("page.turn.shown"), "is", one === "opposed" ? ["open", "others", "all"] : ["open", "all"], (picked) => {
      hidden = picked;
      draw();
    }),
  );
  const owner = () => who.value.trim();
  const hand = side(t("page.turn.dice"), owner);
  const foe = side(t("page.turn.dice_against"), () => namesIn(others.value)[0] ?? "");
  const self = panel("ask-roll", t("page.turn.ask"));

  /** @param {string} label @param {string} word @param {string[]} all @param {(picked: string) => unknown} onPick */
  function waysOf(label, word, all, onPick) {
    const options = all.map((one) => ({ value: one, text: t(`page.turn.${word}.${one}`) }));
    return choiceKeys(label, options, { value: all[0], optional: false, onPick });
  }

  // The sheet that a player rolls from: one held, else the one of that name; on a player's phone an own one.
  /** @param {string} name */
  function sheetFor(name) {
    const playing = book.sheets.sheets.filter(({ system }) => system === snapshot.system);
    if (myRole() === "player") return playing.find(({ id }) => mySheets().includes(id));
    const held = sheetOf(name);
    return (
      playing.find(({ id }) => id === held?.id) ??
      playing.find(({ title }) => title.toLowerCase() === name.toLowerCase())
    );
  }

  /** One side's dice: from its sheet by a tap on a skill, or typed. @param {string} label @param {() => string} name */
  function side(label, name) {
    /** @type {Steppers} */
    let roles = new Map();
    /** Of levels of dice that are typed in. @type {Steppers} */
    let typed = new Map();
    /** @type {{ name: string, sheet: Sheet, tapped: Tapped } | null} */
    let from = null;
    let isChanged = false;

    /** @param {Steppers} steppers @returns {Counts} */
    const countsOf = (steppers) =>
      Object.fromEntries([...steppers].flatMap(([role, { value }]) => (value ? [[role, value]] : [])));
    const dice = () => ({ dice: countsOf(roles), levels: countsOf(typed) });

    /** @param {string} role @param {string} title @param {unknown} [swatch] */
    function counter(role, title, swatch = nothing) {
      const one = stepper(title, 0, MAX_DICE, (count) => {
        isChanged = true;
        one.show(count);
        draw();
      });
      one.show(0, swatch);
      one.node.dataset.role = role;
      return one;
    }

    function reset() {
      const { pool_roles: known = [], roles: played = {}, colours } = snapshot;
      const levels = book.tiles?.system === snapshot.system ? (book.tiles.typed_levels ?? []) : [];
      roles = new Map(
        known.map((role) => {
          const dyed = classOf(role, played);
          const swatch = html` <span class="swatch" aria-hidden="true" .style=${paint(dyed, colours)}></span>`;
          return [role, counter(role, kindOfDice(role, dyed, colours), dyed === null ? nothing : swatch)];
        }),
      );
      typed = new Map(levels.map(({ level, sides }) => [level, counter(level, `d${sides}`)]));
      [from, isChanged] = [null, false];
    }

    /** @param {Sheet} sheet @param {Tapped} tapped */
    async function fill(sheet, tapped) {
      if (!Object.keys(tapped).length) {
        reset();
        return draw();
      }
      [from, isChanged] = [{ name: name(), sheet, tapped }, false];
      if (!what.value || what.value === named) what.value = named = rollName(book.tiles, tapped);
      draw();
      const body = await book.send("POST", "/api/prepare", { tiles: tapped, sheet: sheet.id, declare: false });
      if (!body || from?.tapped !== tapped) return;
      if (!body.can_roll) book.say(body.reason_text);
      /** @type {{ level: string }[]} */
      const levels = body.typed ?? [];
      for (const [role, one] of [...roles, ...typed])
        one.show(body.pool[role] ?? levels.filter(({ level }) => level === role).length);
      draw();
    }

    /** What is rolled; by another name without a sheet, only the dice are. */
    function rolled() {
      const sheet = sheetFor(name());
      if (from?.name !== name() && from?.sheet.id !== sheet?.id) return { sheet: sheet?.id, ...dice() };
      const { tapped, sheet: own } = from ?? { sheet };
      return { sheet: own?.id, ...(tapped ? { tiles: tapped } : {}), ...(isChanged || !tapped ? dice() : {}) };
    }

    /** The same by another player: the tiles that the player's sheet has, or the same dice. @param {string} other */
    function alike(other) {
      const sheet = sheetFor(other);
      const tapped = sheet && from && book.tiles ? tappedOn(book.tiles, sheet, from.tapped) : null;
      return {
        ...(sheet ? { sheet: sheet.id } : {}),
        ...(tapped ? { tiles: tapped } : {}),
        ...(from ? {} : dice()),
      };
    }

    // Of another player the same is rolled, where that player's sheet has it.
    function follow() {
      const sheet = sheetFor(name());
      if (!sheet || !from || sheet.id === from.sheet.id || from.name === name()) return;
      const { tiles } = alike(name());
      if (tiles) fill(sheet, tiles);
    }

    function fields() {
      const sheet = sheetFor(name());
      const { tiles } = book;
      const tapped = from?.sheet.id === sheet?.id ? (from?.tapped ?? {}) : {};
      const rolled = sheet && tiles ? sheet.counters.filter((one) => tappedFor(tiles, sheet, one)) : [];
      const keys = rolled.map((counter) => {
        const shown = scaleOf(book.sheets, snapshot.system, counter.kind)[counter.now] ?? counter.now;
        const tap = () => sheet && tiles && fill(sheet, tappedToo(tiles, sheet, tapped, counter));
        return html`<button type="button" class="key" data-testid="ask-${counter.kind}" aria-pressed=${Boolean(tiles && isTapped(tiles, tapped, counter))} @click=${tap}>${plainWord(counter.name)} <b>${shown}</b></button>`;
      });
      return html`<div class="keys-row">${keys}</div><div class="tiles" role="group" aria-label=${label}>${[...roles.values(), ...typed.values()].map(({ node }) => node)}</div>`;
    }
    return { fields, fill, follow, reset, rolled, alike, dice };
  }

  /** @param {string} name */
  function keep(name) {
    keepName(name);
    draw();
    onName();
  }

  // With other rules or colours the dice are others.
  function renew() {
    const { pool_roles: known = [], roles: played = {}, colours } = snapshot;
    const tiles = book.tiles?.system === snapshot.system ? book.tiles : null;
    const key = JSON.stringify([known, played, colours, tiles?.system]);
    if (key === drawn) return;
    drawn = key;
    aim = {};
    aims = tileFields(tiles?.aims ?? [], aim);
    hand.reset();
    foe.reset();
  }

  /** @type {(name: string, input: HTMLInputElement) => unknown} */
  const labelled = (name, input) =>
    html`<label class="field who"><span>${t(`page.turn.${name}`)}</span>${input}</label>`;
  /** @type {(name: string, keys: HTMLElement) => unknown} */
  const titled = (name, keys) =>
    html`<div class="tile wide"><span class="tile-title">${t(`page.turn.${name}`)}</span>${keys}</div>`;

  function draw() {
    renew();
    hand.follow();
    foe.follow();
    const isPlayers = myRole() === "player";
    const isMine = owner() !== "" && owner() === myName();
    const isOpposed = kind === "opposed";
    const { asked: request, asked_next: waiting = [], state, colours, roles = {} } = snapshot;
    // A player's phone has its name from the tray and requests rolls only for that player.
    who.readOnly = whoKeys.node.hidden = isPlayers;
    kinds.show(kind);
    const shown = ends[Number(isOpposed)];
    shown.show(hidden);
    const names = html`${labelled(isOpposed ? "against" : "with", others)}${otherKeys.node}${isOpposed ? foe.fields() : nothing}`;
    const mine =
      isPhone && myRole() === "table" && owner() !== ""
        ? html`<button type="button" class="key switch" data-testid="ask-mine" aria-pressed=${isMine} @click=${() => keep(isMine ? "" : owner())}>${t("page.turn.mine")}</button>`
        : nothing;
    // The current request can be cancelled until its dice are thrown.
    const open = request && state === "empty" ? [{ ...request, take: snapshot.take }, ...waiting] : waiting;
    const { dice, levels } = hand.dice();
    const take = taken(dice, roles, levels, book.tiles?.typed_levels);
    self.draw(
      html`${labelled("who", who)}${whoKeys.node}<div class="keys-row">${mine}</div>${labelled("what", what)}${hand.fields()}<details class="asker" data-testid="ask-more" ?hidden=${isPlayers}><summary class="tool">${t("page.turn.master")}</summary><div class="tiles" role="group" aria-label=${t("page.turn.aim")}>${aims}</div><div class="ways">${titled("together", kinds.node)}${kind === "alone" ? nothing : names}${titled("shown", shown.node)}</div>${labelled("thrower", thrower)}${throwerKeys.node}</details><section class="waiting" aria-label=${t("page.turn.waiting")}>${waitingRolls(open, snapshot, book)}</section>`,
      html`<div class="panel-foot"><div class="answer">${take.length ? handOf(take, colours) : html`<p class="notes">${t("page.turn.any")}</p>`}</div>
        <div class="foot-buttons"><button type="button" class="button go" data-testid="ask-go" @click=${go}>${t("page.turn.go")}</button></div></div>`,
    );
  }

  async function go() {
    const name = owner();
    const order = {
      kind,
      owner: name,
      others: namesIn(others.value),
      thrower: thrower.value.trim(),
      label: what.value.trim(),
      rolled: hand.rolled(),
      rolledBy: kind === "opposed" ? foe.rolled : hand.alike,
      aim,
      hidden,
    };
    if (!(await book.send("POST", ...orderOf(order)))) return;
    if (isPhone && myRole() === "table" && name && !myName()) keep(name);
    for (const input of [what, thrower, others]) input.value = "";
    [kind, hidden, drawn] = ["alone", "open", ""];
    self.close();
  }

  return {
    /** @param {Snapshot} latest */
    update(latest) {
      snapshot = latest;
      if (self.isOpen) draw();
    },
    /**
     * @param {Snapshot} latest
     * @param {string} [player] the player who rolls
     * @param {[sheet: Sheet, tapped: Tapped]} [from] the sheet that the dice come from, and what was tapped on it
     */
    open(latest, player, from) {
      snapshot = latest;
      if (player !== undefined) who.value = player;
      else if (myRole() === "player") who.value = myName();
      else who.value ||= myName();
      draw();
      self.open();
      knownPlayers(latest.system).then((players) => {
        for (const keys of [whoKeys, otherKeys, throwerKeys]) keys.show(players);
      });
      if (from) {
        what.value = "";
        hand.fill(...from);
      }
    },
  };
}
