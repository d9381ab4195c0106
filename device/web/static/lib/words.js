// @ts-check
// What the page says in words, from a snapshot alone.

/** @import { Change, Counts, Die, Problem, Snapshot } from "./types.js" */
/** @typedef {Record<string, string>} Words */

/** @type {Words} */
export const STATE_WORDS = {
  connecting: "Connecting",
  empty: "Ready",
  rolling: "Rolling",
  unclear: "Unclear",
  scored: "Result",
  awaiting_push: "Push",
  resolved: "Final result",
  fault: "Fault",
};

/** @type {Words} */
export const ATTRIBUTES = { STR: "Strength", AGL: "Agility", WIT: "Wits", EMP: "Empathy", INT: "Intelligence" };

/** @type {Words} */
const PUSH_REASONS = {
  ok: "Reroll every marked die, once.",
  already_pushed: "This roll was pushed already. One push is all there is.",
  nothing_to_reroll: "Every die here stays: there is nothing to reroll.",
  passive_roll: "A passive roll cannot be pushed.",
  system_has_no_push: "These rules know no push.",
};

/** @type {Words} */
const NO_PUSH_YET = {
  empty: "A push needs a roll first.",
  rolling: "Wait until the dice lie still.",
  unclear: "First settle what is unclear.",
  awaiting_push: "Pushed. Throw the marked dice again.",
  fault: "Not while the tray has a fault.",
};

// Said elsewhere on the page already, wherever they keep Throw dark.
const SAID = new Set(["rolling", "fault", "tray_busy", "nothing_to_reroll"]);
const OF_POOL = new Set(["wrong_dice_count", "wrong_role_count"]);

/** @type {Words} */
const OUTCOMES = {
  failure: "Failure",
  fail: "Failure",
  mixed: "Success at a price",
  full: "Full success",
  critical: "Critical success",
  draw: "Draw",
};

/** @type {Words} */
const UNREAD = {
  cocked: "leans",
  stacked: "lies on another die",
  occluded: "is partly hidden",
  blurred: "is blurred",
  pips_unclear: "shows unclear pips",
  colour_unclear: "has an unclear colour",
  outside_floor: "lies outside the tray floor",
};

/** @type {Words} */
export const PROBLEMS = {
  thrown_without_push: "Thrown again without a push",
  cannot_score: "These dice cannot be scored",
  reading_doubtful: "The reading is in doubt",
  locked_die_changed: "A die that stays was changed",
  must_reroll_not_rolled: "A die was not rolled again",
  wrong_dice_count: "Wrong number of dice",
  wrong_role_count: "Wrong number of dice of a colour",
  already_pushed: "Pushed already",
  nothing_to_reroll: "Nothing to reroll",
  no_tray: "No tray in the picture",
  too_dark: "The picture is too dark",
  too_bright: "The picture is too bright",
  moving: "Something moves",
  foreign_object: "Something lies in the tray that is no die",
};

/**
 * @param {number} count
 * @param {string} one
 */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {string[]} words */
export function listWords(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// What sheets count, kind by kind.
/** @type {Words} */
export const KINDS = { attribute: "Attributes", skill: "Skills", gear: "Gear", reliability: "Reliability", hp: "Health", stress: "Stress", grit: "Grit", luck: "Luck", fatigue: "Fatigue", power: "Power", equipment: "Equipment", resource: "Resources", xp: "Experience" };

/** @param {string} kind */
export function kindWords(kind) {
  return KINDS[kind] ?? plainWord(kind);
}

/**
 * A change of a sheet in a few words, as in "Strength −1".
 * @param {Change} item
 */
export function changeWords(item) {
  const name = item.name ? plainWord(item.name) : kindWords(item.kind);
  if (item.to !== null && item.to !== undefined) return `${name} becomes ${item.to}`;
  if (item.by) return `${name} ${item.by < 0 ? "−" : "+"}${Math.abs(item.by)}`;
  return item.text;
}

/**
 * A name that the rules use, for people: "hidden_camp" becomes "Hidden camp"; short names of attributes in full.
 * @param {string} name
 */
export function plainWord(name) {
  return ATTRIBUTES[name] ?? capital(String(name).replaceAll("_", " "));
}

/** @param {Counts | null | undefined} pool */
export function poolWords(pool) {
  const parts = Object.entries(pool ?? {}).filter(([, count]) => count > 0).map(([role, count]) => `${count} ${role}`);
  return listWords(parts);
}

/**
 * What the simulated hand throws for somebody who has not chosen yet.
 * @param {Pick<Snapshot, "pool_roles">} snapshot
 * @returns {Counts}
 */
export function examplePool(snapshot) {
  const roles = snapshot.pool_roles ?? ["base", "skill", "gear"];
  if (roles.includes("skill")) return { base: 5, skill: 2, gear: 1 };
  if (roles.includes("wild")) return { wild: 1, plain: 3 };
  return { [roles[0]]: roles.includes("ammo") ? 2 : 4 };
}

/** @param {Die} die */
export function dieWords(die) {
  const what = die.colour ? `${capital(die.colour)} die` : "Die";
  return die.value ? `${what} showing ${die.value}` : what;
}

/** @param {Die} die */
export function unreadWords(die) {
  return UNREAD[die.unread ?? ""] ?? String(die.unread ?? "").replaceAll("_", " ");
}

/** @param {Pick<Snapshot, "dice">} snapshot */
export function diceOf(snapshot) {
  return snapshot.dice ?? [];
}

/**
 * The colour class of which the declared pool misses a die, where it is one class and no other.
 * @param {Snapshot} snapshot
 */
export function missingClass(snapshot) {
  const lying = diceOf(snapshot).map((die) => die.colour);
  const missing = Object.keys(snapshot.colours ?? {}).filter((name) => (snapshot.pool?.[name] ?? 0) > lying.filter((colour) => colour === name).length);
  return missing.length === 1 ? missing[0] : null;
}

/**
 * The dice that go; after a push that was played wrong only those that its problem names, for the others are thrown already.
 * @param {Snapshot} snapshot
 */
export function toReroll(snapshot) {
  const going = diceOf(snapshot).filter((die) => die.must_reroll);
  const named = snapshot.state === "awaiting_push" ? (snapshot.problem_details ?? []).flatMap(({ dice = [] }) => dice) : [];
  return named.length ? going.filter((die) => named.includes(die.id)) : going;
}

/**
 * The dice as a player is to see them: one that was thrown in a push, and need not go again, stays.
 * @param {Snapshot} snapshot
 * @returns {Die[]}
 */
export function markedDice(snapshot) {
  const going = toReroll(snapshot);
  return diceOf(snapshot).map((die) => (die.must_reroll && !going.includes(die) ? { ...die, must_reroll: false, thrown: true } : die));
}

/**
 * What a die asks of the player: the one question its outline answers.
 * @param {Die} die
 * @param {string} state
 */
export function kindOf(die, state) {
  if (die.wrong && !die.must_reroll) return "wrong";
  if (die.picked_up) return "picked";
  if (die.unread || die.value === null || die.value === undefined) return "unread";
  if (state === "resolved") return "final";
  if (die.must_reroll) return "reroll";
  return die.locked || die.thrown ? "stay" : "final";
}

/**
 * The line beside the buttons: what a push would do, or why a button is dark.
 * @param {Snapshot} snapshot
 */
export function hint(snapshot) {
  const { push, throw: thrown } = snapshot.presses;
  const dark = thrown.offered && !thrown.allowed && thrown.reason !== push.reason && !SAID.has(thrown.reason) ? thrown.text : "";
  return [push.offered ? pushReason(snapshot) : "", dark].filter(Boolean).join(" ");
}

/** @param {Snapshot} snapshot */
function pushReason(snapshot) {
  const { state, push, presses } = snapshot;
  const count = Math.max(toReroll(snapshot).length, push?.must_reroll?.length ?? 0);
  if (presses.push.allowed && count) return `${plural(count, "die", "dice")} would be rolled again.`;
  if (state === "awaiting_push" && snapshot.problems?.length && !toReroll(snapshot).length) return "Pushed. First mend what is wrong.";
  if (!presses.push.allowed && state in NO_PUSH_YET) return NO_PUSH_YET[state];
  return presses.push.text || PUSH_REASONS[presses.push.reason] || plainWord(presses.push.reason);
}

/**
 * Whether what is wrong is only that other dice were declared than lie there; in a push those of the first throw count.
 * @param {Snapshot} snapshot
 */
export function isOfPool(snapshot) {
  const { state, pool, presses, problems = [] } = snapshot;
  return state === "unclear" && pool !== null && presses.push.reason !== "already_pushed" && problems.some((code) => OF_POOL.has(code));
}

/**
 * What is wrong besides dice that could not be read: those are named in the headline and marked one by one.
 * @param {Snapshot} snapshot
 * @returns {Problem[]}
 */
export function problemsOf(snapshot) {
  const codes = snapshot.problems ?? [];
  const details = (snapshot.problem_details ?? []).filter(({ code }) => codes.includes(code));
  const told = new Set(details.map(({ code }) => code));
  return [...details, ...codes.filter((code) => !told.has(code)).map((code) => ({ code, text: "", dice: [] }))];
}

/**
 * The headline and the sentence under it.
 * @param {Snapshot} snapshot
 * @returns {[title: string, lead: string]}
 */
export function headline(snapshot) {
  const { state, outcome, simulated, pool, fault } = snapshot;
  const declared = poolWords(pool);
  const toTap = (snapshot.typed_dice ?? []).filter((die) => die.value === null).length;
  if (state === "empty" && snapshot.prepared) return [String(snapshot.prepared.take).replace(/\.$/, ""), `${toTap ? `Tap in what ${plural(toTap, "die shows", "dice show")} that no camera reads. ` : ""}${simulated && declared ? `Press Throw: ${declared} go into the tray.` : declared ? "The tray waits for them." : ""}`];
  if (state === "empty") {
    if (simulated) return ["Ready to throw", declared ? `Press Throw: ${declared} go into the tray.` : `Choose the dice, or press Throw to try ${poolWords(examplePool(snapshot))}.`];
    return ["Throw the dice", declared ? `The tray waits for ${declared}.` : "Any dice will do: declare a pool to have them counted."];
  }
  if (state === "rolling") return ["Rolling…", "The dice are read when they lie still."];
  if (state === "unclear") {
    const unread = diceOf(snapshot).filter((die) => kindOf(die, state) === "unread");
    if (snapshot.confirmable) return ["Are these dice right?", "Look at them and confirm, or tap the one that is wrong."];
    if (!unread.length) return ["Not clear yet", "See below what is wrong."];
    const each = unread.slice(0, 3).map((die) => `${dieWords(die).toLowerCase()} ${unreadWords(die)}`);
    const rest = unread.length > 3 ? ` ${unread.length - 3} more.` : "";
    const cure = unread.length === 1 ? "Mend it, or tap it and tell." : "Mend them, or tap each and tell.";
    return [`Look at ${plural(unread.length, "die", "dice")}`, `${capital(listWords(each))}.${rest} ${cure}`];
  }
  if (snapshot.awaiting) return [`Throw ${plural(snapshot.awaiting.dice.length, "die", "dice")} again`, snapshot.awaiting.text ?? ""];
  if (state === "awaiting_push" && snapshot.problems?.length) return ["Not right yet", ""];
  if (state === "awaiting_push") {
    const marked = toReroll(snapshot);
    const typed = (snapshot.typed_dice ?? []).filter((die) => die.must_reroll && die.value === null).length;
    if (!marked.length && typed) return [`Roll ${plural(typed, "die", "dice")} again`, "Then tap in what they show."];
    const count = marked.filter((die) => !die.picked_up).length;
    if (!count) return [`Throw ${plural(marked.length, "die", "dice")}`, "Back into the tray with them."];
    const stay = diceOf(snapshot).length - marked.length;
    const leave = stay > 0 ? ` Leave the other ${stay === 1 ? "one" : stay}.` : "";
    const tap = typed ? ` Roll ${plural(typed, "step die", "step dice")} again too, and tap in.` : "";
    return [`Pick up ${plural(count, "die", "dice")}`, `Throw ${count === 1 ? "it" : "them"} again.${leave}${tap}`];
  }
  if (state === "fault") {
    const retry = fault && fault.retry_in_s > 0 ? ` Trying again in ${Math.ceil(fault.retry_in_s)} s.` : "";
    return [`${capital(fault?.part ?? "tray")} fault`, `${fault?.text ?? "A part of the tray does not answer."}${retry}`];
  }
  if (outcome) {
    if (typeof outcome.outcome === "string") return [OUTCOMES[outcome.outcome] ?? capital(outcome.outcome), ""];
    if (outcome.success === null || outcome.success === undefined) return [state === "resolved" ? "Final" : "Result", ""];
    return [outcome.success ? "Success" : "No success", ""];
  }
  return snapshot.problems?.length ? ["Something is wrong", ""] : ["…", ""];
}

/**
 * Each consequence as [kind, sentence]; kinds are good, bad, plain.
 * @param {Snapshot} snapshot
 * @returns {[kind: string, text: string][]}
 */
export function consequences(snapshot) {
  const { outcome, state, context } = snapshot;
  if (!outcome || (state === "awaiting_push" && snapshot.problems?.length)) return [];
  /** @type {[kind: string, text: string][]} */
  const lines = [];
  const attribute = ATTRIBUTES[context?.attribute_name] ?? "Attribute";
  if (outcome.stunts > 0) lines.push(["good", `${plural(outcome.stunts, "stunt")} to spend`]);
  if (outcome.extra > 0) lines.push(["good", plural(outcome.extra, "extra success", "extra successes")]);
  if (outcome.net_hits > 0) lines.push(["good", plural(outcome.net_hits, "net hit")]);
  if (outcome.net_misses > 0) lines.push(["bad", plural(outcome.net_misses, "net miss", "net misses")]);
  if (outcome.critical_hit) lines.push(["good", "Critical hit"]);
  if (outcome.critical_miss) lines.push(["bad", "Critical miss"]);
  if (outcome.pending === "reroll_wild") lines.push(["good", "Throw the wild die again: it adds up"]);
  if (outcome.botch) lines.push(["bad", `Botch, severity ${outcome.botch_severity}`]);
  if (state === "resolved") {
    if (outcome.trauma > 0) {
      const kind = outcome.trauma_type ? String(outcome.trauma_type) : "trauma";
      const after = Number.isInteger(outcome.attribute_after) ? `: ${attribute} falls to ${outcome.attribute_after}` : "";
      lines.push(["bad", `${outcome.trauma} ${kind}${after}`]);
    }
    if (outcome.broken) lines.push(["bad", `Broken: ${attribute} is 0`]);
    if (outcome.gear_damage > 0) {
      const after = Number.isInteger(outcome.gear_bonus_after) ? `: bonus falls to ${outcome.gear_bonus_after}` : "";
      lines.push(["bad", `${outcome.gear_damage} gear damage${after}`]);
    }
    if (outcome.gear_broken) lines.push(["bad", "The gear no longer works"]);
    if (outcome.damage > 0) lines.push(["bad", `${outcome.damage} damage${Number.isInteger(outcome.hp_after) ? `: ${outcome.hp_after} health left` : ""}`]);
    if (outcome.stress > 0) lines.push(["bad", `${outcome.stress} stress`]);
    if (outcome.incapacitated_after_action) lines.push(["bad", "Incapacitated after this action"]);
    if (outcome.reliability_loss > 0) {
      const after = Number.isInteger(outcome.reliability_after) ? `: ${outcome.reliability_after} left` : "";
      lines.push(["bad", `${outcome.reliability_loss} reliability lost${after}`]);
    }
    const paid = [outcome.trauma, outcome.gear_damage, outcome.damage, outcome.stress, outcome.reliability_loss].filter(Number.isInteger);
    if (paid.length && paid.every((cost) => cost === 0)) lines.push(["plain", "The push cost nothing"]);
  } else if (snapshot.push?.eligible || state === "awaiting_push") {
    const costs = [];
    const isStep = "ammo_ones" in outcome;
    if (outcome.base_ones > 0) costs.push(`${outcome.base_ones} ${isStep ? "damage or stress" : "trauma"}`);
    if (outcome.gear_ones > 0) costs.push(`${outcome.gear_ones} gear damage`);
    const verb = state === "awaiting_push" ? "The push costs" : "A push costs";
    if (costs.length) lines.push(["plain", `${verb} at least ${listWords(costs)}`]);
  }
  return lines;
}
