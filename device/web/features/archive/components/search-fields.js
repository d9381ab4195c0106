// @ts-check
// Filters of the history and statistics pages: evening and search.

import { element } from "../../../ui/lib/dom.js";
import { eveningWords, FIELDS } from "../lib/remembered.js";
import { t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { Evening } from "../../../ui/lib/types.js" */
/** @typedef {Record<string, string | number | null>} Search */
/** @typedef {{ evenings: Evening[], players: string[], systems: { id: string, title: string }[] }} Known */

/** @param {() => void} onSearch */
export function searchFields(onSearch) {
  /** @type {HTMLSelectElement} */
  const evening = element(
    html`<select data-testid="evening" aria-label=${t("page.history.evenings")} @change=${onSearch}></select>`,
  );
  /** @type {HTMLFormElement} */
  const form = element(
    html`<form class="search" role="search" aria-label=${t("page.history.search")} @submit=${sent} @reset=${() => setTimeout(onSearch)}></form>`,
  );

  /** @param {Event} event */
  function sent(event) {
    event.preventDefault();
    onSearch();
  }
  /** @returns {Search} */
  function now() {
    const typed = new FormData(form);
    /** @type {Search} */
    const search = { evening: evening.value ? Number(evening.value) : null };
    for (const name of FIELDS) search[name] = String(typed.get(name) ?? "").trim() || null;
    return search;
  }

  return {
    evening,
    form,
    now,
    /** @param {Known} known */
    show({ evenings, players, systems }) {
      const chosen = evening.value;
      render(
        [
          html`<option value="">${t("page.history.all")}</option>`,
          ...evenings.map((one) => html`<option value=${one.id}>${eveningWords(one)}</option>`),
        ],
        evening,
      );
      evening.value = evenings.some((one) => String(one.id) === chosen) ? chosen : "";
      render(
        html`<label class="field"><span>${t("page.history.player")}</span><select name="player"><option value="">${t("page.history.anybody")}</option>${players.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
          <label class="field"><span>${t("page.history.label")}</span><input name="label" type="text" maxlength="80" autocomplete="off"></label>
          <label class="field"><span>${t("page.history.text")}</span><input name="text" type="search" maxlength="80" autocomplete="off"></label>
          <label class="field"><span>${t("page.history.system")}</span><select name="system"><option value="">${t("page.history.any")}</option>${systems.map((one) => html`<option value=${one.id}>${one.title}</option>`)}</select></label>
          <label class="field"><span>${t("page.history.from")}</span><input name="from" type="date"></label>
          <label class="field"><span>${t("page.history.to")}</span><input name="to" type="date"></label>
          <div class="row search-keys"><button type="submit" class="tool go" data-testid="find">${t("page.history.find")}</button><button type="reset" class="tool" data-testid="clear">${t("page.history.clear")}</button></div>`,
        form,
      );
    },
  };
}
