// @ts-check
// Names that are known already, one tap each: of sheets, phones and the players of the last rolls.

import { ask } from "../lib/api.js";
import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, nothing, render } from "../lib/vendor/lit-html/lit-html.js";

/** @typedef {{ name: string, sheet: number | null }} Player */

/**
 * The players that are known; null if the tray does not answer.
 * @param {string} system the rules that their sheets are for
 * @returns {Promise<Player[] | null>}
 */
export async function knownPlayers(system) {
  const answer = await ask("GET", `/api/players?system=${encodeURIComponent(system)}`);
  return answer.ok ? answer.snapshot.players : null;
}

/** @param {(name: string) => unknown} onPick @param {string} [testId] of each button */
export function nameKeys(onPick, testId = "name") {
  const node = element(html`<div class="keys-row" role="group" aria-label=${t("page.whose.players")}></div>`);
  return {
    node,
    /**
     * @param {Player[] | null} players
     * @param {string | null} [picked]
     * @param {() => unknown} [again] asks for them again
     */
    show(players, picked, again) {
      render(
        players?.map(
          ({ name }) =>
            html`<button type="button" class="key" data-testid=${testId} aria-pressed=${picked === undefined ? "false" : String(name === picked)} @click=${() => onPick(name)}>${name}</button>`,
        ) ??
          (again
            ? html`<p class="refusal" role="alert">${t("page.whose.unknown")} <button type="button" class="tool" data-testid="names-again" @click=${again}>${t("page.whose.again")}</button></p>`
            : nothing),
        node,
      );
    },
  };
}
