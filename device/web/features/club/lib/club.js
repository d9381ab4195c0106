// @ts-check
// The trays of a club, and results as text.

import { classWords, faceWord, headlineWord } from "../../../ui/lib/words.js";
import { t } from "../../../ui/lib/texts.js";

/** @typedef {{ role: string | null, value: number | null }} ClubDie */
/** @typedef {{ id: string, kind: string | null, time: string | null, owner: string | null, label: string | null, value: number | null, word: string | null, dice: ClubDie[] }} ClubRoll */
/** @typedef {{ id: string, name: string, available: boolean, state?: string | null, system_title?: string | null, owner?: string | null, label?: string | null, fault?: string | null, dice?: ClubDie[], may_push?: boolean, rolls: ClubRoll[], cut?: boolean }} ClubTray */

const MAX_ROLLS = 20;

/** Every tray by its id. */
export class Club {
  /** @type {Map<string, ClubTray>} */
  #trays = new Map();

  /** @param {ClubTray[]} trays */
  all(trays) {
    this.#trays = new Map(trays.map((tray) => [tray.id, tray]));
  }

  /** Trays that changed, with the results that came since. @param {ClubTray[]} trays */
  some(trays) {
    for (const tray of trays) {
      const before = tray.cut ? [] : (this.#trays.get(tray.id)?.rolls ?? []);
      const rolls = [...tray.rolls, ...before].slice(0, MAX_ROLLS);
      this.#trays.set(tray.id, { ...tray, rolls });
    }
  }

  /** Online ones first, then by name. @returns {ClubTray[]} */
  get trays() {
    return [...this.#trays.values()].sort(
      (one, other) =>
        Number(other.available) - Number(one.available) ||
        one.name.localeCompare(other.name, undefined, { numeric: true }) ||
        one.id.localeCompare(other.id),
    );
  }

  /** @param {string} id */
  tray(id) {
    return this.#trays.get(id);
  }
}

/** Player and purpose, as far as the tray has them. @param {{ owner?: string | null, label?: string | null }} of */
export const whose = ({ owner, label }) => [owner, label].filter(Boolean).join(" · ");

/** The result's number, with its word. @param {ClubRoll} roll */
export function counted({ value, word }) {
  return value === null ? "" : `${value} ${word ? headlineWord({ value, word }) : ""}`.trim();
}

/** Dice by role, highest first: "base 6 3 1, gear 2". @param {ClubDie[]} dice */
export function diceLine(dice) {
  /** @type {Map<string, number[]>} */
  const byRole = new Map();
  for (const { role, value } of dice) {
    if (value !== null) byRole.set(role ?? "", [...(byRole.get(role ?? "") ?? []), value]);
  }
  return [...byRole]
    .map(([role, values]) =>
      `${role ? classWords({ role, colour: null }) : ""} ${values
        .sort((one, other) => other - one)
        .map(faceWord)
        .join(" ")}`.trim(),
    )
    .join(", ");
}

/** The kind of a result, unless it is a first one. @param {string | null} kind */
export function kindWords(kind) {
  return kind === "pushed"
    ? t("page.club.pushed")
    : ["corrected", "revised", "undone"].includes(String(kind))
      ? t("page.club.corrected")
      : "";
}
