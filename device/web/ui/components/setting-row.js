// @ts-check
// One setting of the settings file or of an integration: its name, help, a field that is saved at once, and its error.

import { valueOf } from "../lib/dom.js";
import { choicesOf, inWords, limitsOf, noteOf, typed } from "../lib/settings-fields.js";
import { t } from "../lib/texts.js";
import { html, nothing } from "../lib/vendor/lit-html/lit-html.js";

/** @import { Answer, Setting, SettingValue as Value } from "../lib/types.js" */
/** @typedef {{ text: string, nearest: Value, put: Value }} Wrong */

const SAVED_MS = 4000;

/**
 * Sends settings to the tray; an error stays until the field changes again, a success for a moment.
 * @param {(setting: Setting, value: Value) => Promise<Answer>} send
 * @param {(latest: any) => void} onNews
 * @param {() => void} draw
 */
export function settingsDesk(send, onNews, draw) {
  /** @type {Map<string, Wrong>} */
  const wrong = new Map();
  /** @type {Set<string>} */
  const saved = new Set();
  return {
    wrong,
    saved,
    /** @param {Setting} setting @param {Value} value */
    async put(setting, value) {
      const { key } = setting;
      const answer = await send(setting, value);
      wrong.delete(key);
      if (!answer.ok) wrong.set(key, { text: answer.text, nearest: answer.nearest ?? null, put: value });
      if (answer.ok) {
        saved.add(key);
        setTimeout(() => (saved.delete(key), draw()), SAVED_MS);
        onNews(answer.snapshot);
      }
      draw();
    },
  };
}

/** @param {Setting} setting @param {Value} shown @param {boolean} mayChange @param {(value: Value) => unknown} put */
function field(setting, shown, mayChange, put) {
  const { key, kind, suggested } = setting;
  const choices = choicesOf(setting);
  if (choices) {
    const at = choices.findIndex((one) => one.value === shown);
    const usual = t(`page.settings.${setting.usual === null ? "unset" : "usual"}`, {
      value: inWords(setting, setting.usual),
    });
    return html`<select id="field-${key}" aria-labelledby="title-${key}" aria-describedby="help-${key}" ?disabled=${!mayChange} .value=${String(at)} @change=${(/** @type {Event} */ event) => put(choices[Number(valueOf(event))]?.value ?? null)}>
      <option value="-1" ?selected=${at < 0}>${usual}</option>
      ${choices.map(({ title }, index) => html`<option value=${index} ?selected=${index === at}>${title}</option>`)}
    </select>`;
  }
  /** @param {{ currentTarget: HTMLInputElement }} event */
  function take({ currentTarget: input }) {
    put(typed(setting, input.value));
    // Secrets that no page may read are cleared here as well.
    if (kind === "secret") input.value = "";
  }
  const mode = kind === "whole" ? "numeric" : kind === "number" ? "decimal" : "text";
  const text = Array.isArray(shown) ? shown.join(", ") : (shown ?? "");
  const hint = kind === "secret" ? (setting.kept ? t("page.integrations.kept") : "") : inWords(setting, setting.usual);
  return html`<input id="field-${key}" type=${kind === "secret" ? "password" : "text"} inputmode=${mode} autocomplete="off" spellcheck="false" maxlength="2000" list=${suggested.length ? `list-${key}` : nothing} aria-labelledby="title-${key}" aria-describedby="help-${key}" placeholder=${hint} ?disabled=${!mayChange} .value=${String(text)} @change=${take}>
    ${suggested.length ? html`<datalist id="list-${key}">${suggested.map((one) => html`<option value=${one}></option>`)}</datalist>` : nothing}
    ${setting.kept ? html`<button type="button" class="tool" data-remove=${key} aria-label=${t("page.integrations.remove_what", { what: setting.title })} @click=${() => put(null)}>${t("page.integrations.remove")}</button>` : nothing}`;
}

/** @param {Setting} setting @param {boolean} mayChange @param {ReturnType<typeof settingsDesk>} desk */
export function settingRow(setting, mayChange, desk) {
  const { key, title } = setting;
  const refused = desk.wrong.get(key);
  /** @param {Value} value */
  const put = (value) => desk.put(setting, value);
  const note = noteOf(setting);
  const more = [setting.help, choicesOf(setting) ? "" : limitsOf(setting)].filter(Boolean).join(" ");
  return html`<article class="ruling setting" data-key=${key}>
    <details><summary id="title-${key}">${title}</summary><p id="help-${key}">${more}</p></details>
    <div class="setting-side">
      ${field(setting, refused ? refused.put : setting.value, mayChange, put)}
      <p class="wrong" role="alert" ?hidden=${!refused}>${refused?.text}${refused && refused.nearest !== null ? html` <button type="button" class="tool" @click=${() => put(refused.nearest)}>${t("page.settings.take", { value: inWords(setting, refused.nearest) })}</button>` : nothing}</p>
      <p class="saved" role="status">${note || (desk.saved.has(key) ? t("page.settings.saved") : "")}</p>
    </div>
  </article>`;
}
