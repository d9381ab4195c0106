// @ts-check
// Connects Foundry and the tray: a fulfilment method for dice, the tray's faces for the waiting window, and the chat.

import { SIDES, isOwn } from "./places.js";
import { hearTray, isBlocked, trayAddress } from "./stream.js";
import { answered, throwWatch } from "./throws.js";
import { METHOD, fill, othersIn, placesFor, waitingRolls } from "./waiting.js";

/** @import { Place } from "./places.js" */
/** @import { Throw } from "./throws.js" */
/** @import { Resolver } from "./waiting.js" */

const MODULE = "pushtray";
const SOCKET = `module.${MODULE}`;

/** @param {string} key @param {Record<string, string | number>} [values] */
const say = (key, values = {}) => game.i18n.format(`PUSHTRAY.${key}`, values);

/** @param {unknown} text */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A throw without a waiting window, as a message. @param {Throw} thrown */
export function chatContent({ lying, isPush, headline, owner, label }) {
  const word = headline === null ? "" : game.i18n.localize(`PUSHTRAY.Word.${headline.word.replace(/\W+/g, "_")}`);
  const result =
    headline === null
      ? ""
      : `<p><strong>${escaped(headline.value)} ${escaped(word)}</strong>${isPush ? ` (${escaped(say("Pushed"))})` : ""}</p>`;
  const whose = [owner, label].filter(Boolean).map(escaped).join(": ");
  const dice = lying
    .map((die) => `${die.colour ?? "?"} ${die.value}${(die.sides ?? 6) === 6 ? "" : ` (d${die.sides})`}`)
    .join(", ");
  return `${whose ? `<p>${whose}</p>` : ""}${result}<p>${escaped(say("Dice", { dice }))}</p>`;
}

/** @param {Throw} thrown */
function writeToChat(thrown) {
  // Only one browser writes: that of the first game master.
  if (!game.settings.get(MODULE, "chat") || game.users.activeGM !== game.user) return;
  ChatMessage.create({ content: chatContent(thrown), speaker: { alias: thrown.owner ?? "PushTray" } });
}

/** Places as text, counted: "2 base d6, 1 d8". @param {Place[]} places */
function placesText(places) {
  const names = places.map(({ sides, names: [name] }) => [name, say("Die", { sides })].filter(Boolean).join(" "));
  return [...new Set(names)].map((name) => `${names.filter((one) => one === name).length} ${name}`).join(", ");
}

/** Lets a player choose the tray for a game system's own dice, such as db, ds and dg. */
function offerOwnDice() {
  const { terms, fulfillment } = CONFIG.Dice;
  for (const kind of Object.values(terms)) {
    if (!isOwn(kind, game.system.id)) continue;
    const { denomination, faces } = new kind({ number: 1 });
    if (SIDES.includes(faces))
      fulfillment.dice[denomination] ??= { label: `d${denomination}`, icon: '<i class="fa-solid fa-dice"></i>' };
  }
}

/** Gives a throw to the waiting window. @param {Resolver} resolver @param {Throw} thrown */
function answer(resolver, thrown) {
  const places = placesFor(resolver, game.system.id);
  const found = answered(places, thrown.dice, thrown.roles);
  if ("faces" in found) {
    fill(resolver, places, found.faces);
    return;
  }
  const text =
    found.wrong === "count"
      ? say("Count", { lying: thrown.dice.length, requested: places.length })
      : say("Kinds", { kinds: placesText(places) });
  ui.notifications.warn(text);
}

Hooks.once("init", () => {
  CONFIG.Dice.fulfillment.methods[METHOD] = {
    label: "PUSHTRAY.Method",
    icon: '<i class="fa-solid fa-dice-six"></i>',
    interactive: true,
  };
  const ours = game.modules.get(MODULE)?.flags?.[MODULE]?.url ?? "";
  game.settings.register(MODULE, "url", {
    name: "PUSHTRAY.Url",
    hint: "PUSHTRAY.UrlHint",
    scope: "world",
    config: true,
    type: String,
    default: ours,
    requiresReload: true,
  });
  game.settings.register(MODULE, "chat", {
    name: "PUSHTRAY.Chat",
    hint: "PUSHTRAY.ChatHint",
    scope: "world",
    config: true,
    type: Boolean,
    default: true,
  });
});

// After every system's init, which registers its dice.
Hooks.once("setup", offerOwnDice);

Hooks.once("ready", () => {
  const tray = trayAddress(game.settings.get(MODULE, "url"));
  if (!tray) return;
  if (isBlocked(location.href, tray)) {
    ui.notifications.error(say("Blocked"));
    return;
  }
  const rolls = waitingRolls(game.user.id, game.system.id, (message) => game.socket.emit(SOCKET, message));
  const watch = throwWatch();
  /** Windows whose other dice were named. @type {WeakSet<Resolver>} */
  const named = new WeakSet();
  game.socket.on(SOCKET, rolls.hear);
  Hooks.on("renderRollResolver", (/** @type {Resolver} */ resolver) => {
    if (rolls.add(resolver))
      ui.notifications.info(say("Waits", { dice: placesText(placesFor(resolver, game.system.id)) }));
    const others = othersIn(resolver, game.system.id);
    if (!others.length || named.has(resolver)) return;
    named.add(resolver);
    ui.notifications.warn(say("Others", { dice: placesText(others) }));
  });
  Hooks.on("closeRollResolver", rolls.remove);
  Hooks.on("userConnected", (/** @type {{ id: string }} */ user, /** @type {boolean} */ isThere) => {
    if (!isThere) rolls.forget(user.id);
  });
  rolls.ask();
  hearTray(tray, {
    onState(state) {
      const thrown = watch.hear(state);
      if (!thrown) return;
      const resolver = rolls.next;
      if (resolver) answer(resolver, thrown);
      else if (!rolls.isAny) writeToChat(thrown);
    },
    onLost(isFirst) {
      watch.again();
      if (isFirst) ui.notifications.warn(say("Away", { url: tray, origin: location.origin }));
    },
    onBack: () => ui.notifications.info(say("Back")),
  });
});
