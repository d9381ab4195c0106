// @ts-check
// Names that are known already, one tap each: of sheets, phones and the players of the last rolls.

import { ask } from "../lib/api.js";
import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html, render } from "../lib/vendor/lit-html/lit-html.js";

/** @typedef {{ name: string, sheet: number | null }} Player */

/**
 * The players that are known; none if the tray does not answer.
 * @param {string} system the rules that their sheets are for
 * @returns {Promise<Player[]>}
 */
export async function knownPlayers(system) {
  const answer = await ask("GET", `/api/players?system=${encodeURIComponent(system)}`);
  return answer.ok ? answer.snapshot.players : [];
}

/**
 * @param {(name: string) => unknown} onPick
 * @param {string} [testId] of each button
 */
export function nameKeys(onPick, testId = "name") {
  const node = element(html`<div class="keys-row" role="group" aria-label=${t("page.whose.players")}></div>`);
  return {
    node,
    /**
     * @param {Player[]} players
     * @param {string | null} [picked]
     */
    show(players, picked) {
      render(
        players.map(
          ({ name }) =>
            html`<button type="button" class="key" data-testid=${testId} aria-pressed=${picked === undefined ? "false" : String(name === picked)} @click=${() => onPick(name)}>${name}</button>`,
        ),
        node,
      );
    },
  };
}
