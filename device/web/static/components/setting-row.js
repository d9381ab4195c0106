// @ts-check
// One setting: its name, what it does, a field for it, and a line for what is wrong with what was put in.

import { ask } from "../lib/api.js";
import { valueOf } from "../lib/dom.js";
import { choicesOf, inWords, limitsOf, noteOf, typed } from "../lib/settings-fields.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";

/** @import { Setting, Value } from "../lib/settings-fields.js" */
/** @typedef {{ file: string, restart: string[], may_change: boolean, groups: { name: string, title: string, settings: Setting[] }[] }} Settings */
/** @typedef {{ text: string, nearest: Value, put: Value }} Wrong */

/**
 * Sends settings to the tray, and keeps what it refused until the field is changed again.
 * @param {(settings: Settings) => void} onNews
 * @param {() => void} onWrong
 */
export function settingsDesk(onNews, onWrong) {
  /** @type {Map<string, Wrong>} */
  const wrong = new Map();
  return {
    wrong,
    /**
     * @param {Setting} setting
     * @param {Value} value
     */
    async put(setting, value) {
      const answer = await ask("PUT", `/api/settings/${setting.key}`, { value });
      wrong.delete(setting.key);
      if (answer.ok) return onNews(/** @type {any} */ (answer.snapshot));
      wrong.set(setting.key, { text: answer.text, nearest: answer.nearest ?? null, put: value });
      onWrong();
    },
  };
}

/**
 * @param {Setting} setting
 * @param {Value} shown
 * @param {boolean} mayChange
 * @param {(value: Value) => unknown} put
 */
function field(setting, shown, mayChange, put) {
  const { key, suggested } = setting;
  const choices = choicesOf(setting);
  if (choices) {
    const at = choices.findIndex((one) => one.value === shown);
    const usual = setting.usual === null ? t("page.settings.unset") : t("page.settings.usual", { value: inWords(setting, setting.usual) });
    return html`<select id="field-${key}" aria-describedby="help-${key}" ?disabled=${!mayChange} .value=${String(at)} @change=${(/** @type {Event} */ event) => put(choices[Number(valueOf(event))]?.value ?? null)}>
      <option value="-1" ?selected=${at < 0}>${usual}</option>
      ${choices.map(({ title }, index) => html`<option value=${index} ?selected=${index === at}>${title}</option>`)}
    </select>`;
  }
  const mode = setting.kind === "whole" ? "numeric" : setting.kind === "number" ? "decimal" : "text";
  const text = Array.isArray(shown) ? shown.join(", ") : shown ?? "";
  return html`<input id="field-${key}" type="text" inputmode=${mode} autocomplete="off" spellcheck="false" maxlength="400" list=${suggested.length ? `list-${key}` : nothing} aria-describedby="help-${key}" placeholder=${inWords(setting, setting.usual)} ?disabled=${!mayChange} .value=${String(text)} @change=${(/** @type {Event} */ event) => put(typed(setting, valueOf(event)))}>
    ${suggested.length ? html`<datalist id="list-${key}">${suggested.map((one) => html`<option value=${one}></option>`)}</datalist>` : nothing}`;
}

/**
 * @param {Setting} setting
 * @param {boolean} mayChange
 * @param {ReturnType<typeof settingsDesk>} desk
 */
export function settingRow(setting, mayChange, desk) {
  const { key, title, help } = setting;
  const refused = desk.wrong.get(key);
  /** @param {Value} value */
  const put = (value) => desk.put(setting, value);
  const note = noteOf(setting);
  const limits = choicesOf(setting) ? "" : limitsOf(setting);
  return html`<article class="ruling setting" data-key=${key} data-pending=${setting.pending}>
    <div><h3><label for="field-${key}">${title}</label></h3><p id="help-${key}">${help}${limits ? html` <span class="limits">${limits}</span>` : nothing}</p></div>
    <div class="setting-side">
      ${field(setting, refused ? refused.put : setting.value, mayChange, put)}
      <p class="wrong" role="alert" ?hidden=${!refused}>${refused?.text}${refused && refused.nearest !== null ? html` <button type="button" class="tool" @click=${() => put(refused.nearest)}>${t("page.settings.take", { value: inWords(setting, refused.nearest) })}</button>` : nothing}</p>
      <p class="note" ?hidden=${!note}>${note}</p>
    </div>
  </article>`;
}
