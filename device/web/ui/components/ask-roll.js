// @ts-check
// Roll requests: player, purpose, dice, target, hidden or not, linked rolls; and the waiting requests.

import { paint } from "../lib/drawing.js";
import { element, isPhone } from "../lib/dom.js";
import { classOf, kindOfDice, taken } from "../lib/hand.js";
import { keepName, myName, myRole, mySheets } from "../lib/player.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { choiceKeys, tileField } from "./fields.js";
import { knownPlayers, nameKeys } from "./name-keys.js";
import { isTapped, rollName, scaleOf, tappedFor, tappedOn, tappedToo } from "../lib/skill-roll.js";
import { plainWord } from "../lib/words.js";
import { stepper } from "./stepper.js";
import { handOf } from "./turns.js";

/** @import { Tapped } from "../lib/skill-roll.js" */
/** @import { AskedRoll, Book, Counts, Sheet, Snapshot, Value } from "../lib/types.js" */

const MAX_DICE = 20;
const MAX_LETTERS = 40;
/** @type {("alone" | "opposed" | "group")[]} */
const KINDS = ["alone", "opposed", "group"];

/**
 * The typed names, separated by commas.
 * @param {string} text
 */
export function namesIn(text) {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * What a player rolls: tiles of a sheet, dice, or both, if dice were changed afterwards.
 * @typedef {{ tiles?: Tapped, sheet?: number, dice?: Counts, levels?: Counts }} Rolled
 */

/**
 * The request: one roll, or linked rolls.
 * @param {{ kind: string, owner: string, others: string[], thrower: string, label: string, rolled: Rolled, rolledBy: (other: string) => Rolled, aim: Record<string, Value>, hidden: string }} said
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
  /**
   * The sheet that a player rolls from: one held, else the one of that name; on a player's phone an own one.
   * @param {string} name
   */
  function sheetFor(name) {
    const playing = book.sheets.sheets.filter(({ system }) => system === snapshot.system);
    if (myRole() === "player") return playing.find(({ id }) => mySheets().includes(id));
    const held = sheetOf(name);
    return (
      playing.find(({ id }) => id === held?.id) ??
      playing.find(({ title }) => title.toLowerCase() === name.toLowerCase())
    );
  }
  /** @type {Record<string, Value>} */
  let aim = {};
  let kind = "alone";
  let hidden = "open";
  let drawn = "";
  /** The name that the tapped counters gave. */
  let named = "";
  /** @param {string} testId */
  const field = (testId, letters = MAX_LETTERS) =>
    /** @type {HTMLInputElement} */ (
      element(html`<input maxlength=${letters} autocomplete="off" data-testid=${testId}>`)
    );
  const [who, what, thrower] = [field("ask-owner"), field("ask-label"), field("ask-thrower")];
  const others = field("ask-others", MAX_DICE * MAX_LETTERS);
  who.addEventListener("input", drawName);
  others.addEventListener("input", () => foe.drawKeys());
  /** A tap on a name writes it. @param {HTMLInputElement} input */
  const keysFor = (input, write = (/** @type {string} */ name) => name) =>
    nameKeys((name) => {
      input.value = write(name);
      input.dispatchEvent(new Event("input"));
    });
  const whoKeys = keysFor(who);
  const throwerKeys = keysFor(thrower);
  // A second tap takes the name out again.
  const otherKeys = keysFor(others, (name) => {
    const named = namesIn(others.value);
    return (named.includes(name) ? named.filter((one) => one !== name) : [...named, name]).join(", ");
  });
  const mine = element(html`<div class="keys-row"></div>`);
  const hand = side(t("page.turn.dice"), owner);
  const foe = side(t("page.turn.dice_against"), () => namesIn(others.value)[0] ?? "");
  const aims = element(html`<div class="tiles" role="group" aria-label=${t("page.turn.aim")}></div>`);
  const ways = element(html`<div class="ways"></div>`);
  const queue = element(html`<section class="waiting" aria-label=${t("page.turn.waiting")}></section>`);
  const foot = element(html`<div class="panel-foot"></div>`);
  const master = element(
    html`<details class="asker" data-testid="ask-more"><summary class="tool">${t("page.turn.master")}</summary>${aims}${ways}<label class="field who"><span>${t("page.turn.thrower")}</span>${thrower}</label>${throwerKeys.node}</details>`,
  );
  const self = panel(
    "ask-roll",
    t("page.turn.ask"),
    html`<label class="field who"><span>${t("page.turn.who")}</span>${who}</label>${whoKeys.node}${mine}<label class="field who"><span>${t("page.turn.what")}</span>${what}</label>${hand.node}${master}${queue}`,
    foot,
  );

  function owner() {
    return who.value.trim();
  }

  /**
   * One side's dice: from its sheet by a tap on a skill, or typed.
   * @param {string} label
   * @param {() => string} name
   */
  function side(label, name) {
    const keys = element(html`<div class="keys-row"></div>`);
    const steps = element(html`<div class="tiles" role="group" aria-label=${label}></div>`);
    /** @type {Map<string, ReturnType<typeof stepper> & { swatch: unknown, isTyped: boolean }>} */
    let rows = new Map();
    /** @type {Counts} */
    let counts = {};
    /** @type {Counts} */
    let levels = {};
    /** @type {{ name: string, sheet: Sheet, tapped: Tapped } | null} */
    let from = null;
    let isChanged = false;

    /**
     * @param {Sheet} sheet
     * @param {Tapped} tapped
     */
    async function fill(sheet, tapped) {
      if (!Object.keys(tapped).length) {
        draw();
        return drawFoot();
      }
      [from, isChanged] = [{ name: name(), sheet, tapped }, false];
      if (!what.value || what.value === named) what.value = named = rollName(book.tiles, tapped);
      drawKeys();
      const body = await book.send("POST", "/api/prepare", { tiles: tapped, sheet: sheet.id, declare: false });
      if (!body || from?.tapped !== tapped) return;
      if (!body.can_roll) book.say(body.reason_text);
      for (const [role, one] of rows) {
        const typed = (body.typed ?? []).filter((/** @type {{ level: string }} */ die) => die.level === role).length;
        const count = body.pool[role] ?? typed;
        one.show(count, one.swatch);
        (one.isTyped ? levels : counts)[role] = count;
      }
      drawFoot();
    }

    /** What is rolled; by another name without a sheet, only the dice are. */
    function rolled() {
      const sheet = sheetFor(name());
      if (from?.name !== name() && from?.sheet.id !== sheet?.id) return { sheet: sheet?.id, dice: counts, levels };
      const { tapped, sheet: own } = from ?? { sheet };
      return {
        sheet: own?.id,
        ...(tapped ? { tiles: tapped } : {}),
        ...(isChanged || !tapped ? { dice: counts, levels } : {}),
      };
    }

    /**
     * The same roll by another player: the tiles that the player's sheet has, or the same dice.
     * @param {string} other
     */
    function alike(other) {
      const sheet = sheetFor(other);
      const tapped = sheet && from && book.tiles ? tappedOn(book.tiles, sheet, from.tapped) : null;
      return {
        ...(sheet ? { sheet: sheet.id } : {}),
        ...(tapped ? { tiles: tapped } : {}),
        ...(from ? {} : { dice: counts, levels }),
      };
    }

    function drawKeys() {
      const sheet = sheetFor(name());
      if (sheet && from && sheet.id !== from.sheet.id && from.name !== name()) {
        const { tiles } = alike(name());
        if (tiles) return fill(sheet, tiles);
      }
      const { tiles } = book;
      const tapped = from?.sheet.id === sheet?.id ? (from?.tapped ?? {}) : {};
      const rolled = sheet && tiles ? sheet.counters.filter((one) => tappedFor(tiles, sheet, one)) : [];
      render(
        rolled.map((counter) => {
          const shown = scaleOf(book.sheets, snapshot.system, counter.kind)[counter.now] ?? counter.now;
          const tap = () => sheet && tiles && fill(sheet, tappedToo(tiles, sheet, tapped, counter));
          return html`<button type="button" class="key" data-testid="ask-${counter.kind}" aria-pressed=${Boolean(tiles && isTapped(tiles, tapped, counter))} @click=${tap}>${plainWord(counter.name)} <b>${shown}</b></button>`;
        }),
        keys,
      );
    }

    function draw() {
      const { pool_roles: known = [], roles: played = {}, colours } = snapshot;
      [rows, counts, levels, from, isChanged] = [new Map(), {}, {}, null, false];
      for (const role of known) {
        const dyed = classOf(role, played);
        add(
          role,
          kindOfDice(role, dyed, colours),
          counts,
          dyed === null
            ? nothing
            : html` <span class="swatch" aria-hidden="true" .style=${paint(dyed, colours)}></span>`,
        );
      }
      for (const { level, sides } of book.tiles?.system === snapshot.system ? (book.tiles.typed_levels ?? []) : [])
        add(level, `d${sides}`, levels);
      render(
        [...rows.values()].map((one) => one.node),
        steps,
      );
      drawKeys();
    }

    /**
     * @param {string} role
     * @param {string} title
     * @param {Counts} into
     * @param {unknown} [swatch]
     */
    function add(role, title, into, swatch = nothing) {
      const one = stepper(title, 0, MAX_DICE, (count) => {
        into[role] = count;
        isChanged = true;
        one.show(count, swatch);
        drawFoot();
      });
      one.show(0, swatch);
      one.node.dataset.role = role;
      rows.set(role, Object.assign(one, { swatch, isTyped: into === levels }));
    }
    return {
      node: html`${keys}${steps}`,
      fill,
      draw,
      drawKeys,
      rolled,
      alike,
      get counts() {
        return counts;
      },
      get levels() {
        return levels;
      },
    };
  }

  function drawName() {
    hand.drawKeys();
    const isMine = owner() !== "" && owner() === myName();
    // A player's phone has its name from the tray and requests rolls only for that player.
    who.readOnly = whoKeys.node.hidden = master.hidden = myRole() === "player";
    const mayKeep = isPhone && myRole() === "table" && (owner() !== "" || isMine);
    render(
      mayKeep
        ? html`<button type="button" class="key switch" data-testid="ask-mine" aria-pressed=${isMine} @click=${() => keep(isMine ? "" : owner())}>${t("page.turn.mine")}</button>`
        : nothing,
      mine,
    );
  }

  /** @param {string} name */
  function keep(name) {
    keepName(name);
    drawName();
    onName();
  }

  function drawFields() {
    const { pool_roles: known = [], roles: played = {}, colours } = snapshot;
    const tiles = book.tiles?.system === snapshot.system ? book.tiles : null;
    const key = JSON.stringify([known, played, colours, tiles?.system]);
    if (key === drawn) return;
    drawn = key;
    aim = {};
    hand.draw();
    foe.draw();
    render(
      (tiles?.aims ?? []).map((tile) => tileField(tile, { onChange: (name, value) => (aim[name] = value) })),
      aims,
    );
    drawWays();
  }

  function drawWays() {
    const kinds = choiceKeys(
      t("page.turn.together"),
      KINDS.map((one) => ({ value: one, text: t(`page.turn.as.${one}`) })),
      {
        value: kind,
        optional: false,
        onPick: (picked) => {
          [kind, hidden] = [picked, "open"];
          drawWays();
        },
      },
    );
    const sides = kind === "opposed" ? ["open", "others", "all"] : ["open", "all"];
    const ends = choiceKeys(
      t("page.turn.shown"),
      sides.map((one) => ({ value: one, text: t(`page.turn.is.${one}`) })),
      { value: hidden, optional: false, onPick: (picked) => (hidden = picked) },
    );
    const names = html`<label class="field who"><span>${t(kind === "opposed" ? "page.turn.against" : "page.turn.with")}</span>${others}</label>${otherKeys.node}${kind === "opposed" ? foe.node : nothing}`;
    /** @type {(title: string, keys: HTMLElement) => unknown} */
    const titled = (title, keys) => html`<div class="tile wide"><span class="tile-title">${title}</span>${keys}</div>`;
    render(
      [
        titled(t("page.turn.together"), kinds.node),
        kind === "alone" ? nothing : names,
        titled(t("page.turn.shown"), ends.node),
      ],
      ways,
    );
  }

  /** @param {AskedRoll} asked */
  function waitingRow(asked) {
    const words = asked.text;
    return html`<li><span>${words}</span>${handOf(asked.take ?? [], snapshot.colours)}<button type="button" class="tool" data-testid="drop-asked" aria-label=${t("page.turn.drop_one", { asked: words })} @click=${() => book.send("DELETE", `/api/asked/${asked.id}`)}>${t("page.turn.drop")}</button></li>`;
  }

  function drawQueue() {
    const { asked, asked_next: waiting = [], state } = snapshot;
    // The current request can be cancelled until its dice are thrown.
    const open = asked && state === "empty" ? [{ ...asked, take: snapshot.take }, ...waiting] : waiting;
    render(open.length ? html`<h3>${t("page.turn.waiting")}</h3><ol>${open.map(waitingRow)}</ol>` : nothing, queue);
  }

  function drawFoot() {
    const take = taken(hand.counts, snapshot.roles ?? {}, hand.levels, book.tiles?.typed_levels);
    render(
      html`<div class="answer">${take.length ? handOf(take, snapshot.colours) : html`<p class="notes">${t("page.turn.any")}</p>`}</div>
        <div class="foot-buttons"><button type="button" class="button go" data-testid="ask-go" @click=${go}>${t("page.turn.go")}</button></div>`,
      foot,
    );
  }

  async function go() {
    const name = owner();
    const said = {
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
    if (!(await book.send("POST", ...orderOf(said)))) return;
    if (isPhone && myRole() === "table" && name && !myName()) keep(name);
    for (const input of [what, thrower, others]) input.value = "";
    [kind, hidden, drawn] = ["alone", "open", ""];
    self.close();
  }

  function draw() {
    drawFields();
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
     * @param {[sheet: Sheet, tapped: Tapped]} [from] the sheet that the dice come from, and what was tapped on it
     */
    open(latest, asked, from) {
      snapshot = latest;
      if (asked !== undefined) who.value = asked;
      else if (myRole() === "player") who.value = myName();
      else who.value ||= myName();
      drawName();
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
