// @ts-check
// Whose roll it was: everyone who may be named, one tap each.

import { element } from "../lib/dom.js";
import { t } from "../lib/texts.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";
import { panel } from "./dialog.js";
import { knownPlayers, nameKeys } from "./name-keys.js";
import { send } from "./page.js";

const MAX_LETTERS = 40;

// Gives a roll to a player; the tray's answer, or null if it was refused.
/** @param {number} roll @param {{ owner?: string | null, sheet?: number }} whose */
export const give = (roll, whose) => send("PUT", `/api/rolls/${roll}/owner`, whose);

export function whosePanel() {
  const names = nameKeys(choose, "whose");
  /** @type {HTMLInputElement} */
  const other = element(html`<input maxlength=${MAX_LETTERS} autocomplete="off" data-testid="whose-name">`);
  let roll = 0;
  const self = panel("whose", t("page.whose.title"));

  /** @param {string | null} owner */
  async function choose(owner) {
    if ((await give(roll, { owner })) !== null) self.close();
  }
  /** @param {SubmitEvent} event */
  function onOther(event) {
    event.preventDefault();
    if (other.value.trim()) choose(other.value.trim());
  }
  /** @type {(system: string, owner: string | null) => Promise<void>} */
  const showNames = async (system, owner) =>
    names.show(await knownPlayers(system), owner, () => showNames(system, owner));

  return {
    /** @param {number} number the roll @param {string} system its rules @param {string | null} owner whose it is now */
    async open(number, system, owner) {
      roll = number;
      other.value = "";
      await showNames(system, owner);
      self.draw(
        html`${names.node}<div class="keys-row"><button type="button" class="key" data-testid="whose-none" aria-pressed=${owner === null} @click=${() => choose(null)}>${t("page.whose.nobody")}</button></div><form class="row" @submit=${onOther}><label class="field who"><span>${t("page.whose.other")}</span>${other}</label><button class="tool">${t("page.whose.name")}</button></form>`,
      );
      self.open();
    },
  };
}
