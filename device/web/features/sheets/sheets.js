// @ts-check
// Character sheets, stored on the tray; changed by hand here and by the costs of rolls.

import { byId, element, pickedFile, textField } from "../../ui/lib/dom.js";
import { isNews } from "../../ui/lib/drawing.js";
import { onDemand } from "../../ui/lib/on-demand.js";
import { tableBook, UNKNOWN } from "../../ui/lib/table-data.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { choiceKeys } from "../../ui/components/fields.js";
import { follow, say } from "../../ui/components/page.js";
import { knownPlayers, nameKeys } from "../../ui/components/name-keys.js";
import { beginFull, newSheetKeys, renderSheet } from "../../ui/components/sheet.js";

/** @import { Tapped } from "../../ui/lib/skill-roll.js" */
/** @import { Sheet, Snapshot } from "../../ui/lib/types.js" */

const book = tableBook(say);
const carryKeys = choiceKeys(
  t("page.sheets.carry"),
  [
    { value: "ask", text: t("page.sheets.with_tap") },
    { value: "always", text: t("page.sheets.by_itself") },
  ],
  { value: "ask", optional: false, onPick: (carry) => book.send("PUT", "/api/sheets/carry", { carry }) },
);
const title = textField(t("page.sheets.new_name"));
/** @type {HTMLSelectElement} */
const rules = element(html`<select aria-label=${t("page.sheets.rules")} @change=${learnNames}></select>`);
const titleKeys = nameKeys((name) => (title.value = name));
const sheetPlace = element(html`<div id="sheet"></div>`);
const preparing = onDemand(async () =>
  (await import("../../ui/components/prepared-roll.js")).preparePanel(book, null, () => location.assign("/")),
);
/** @type {Snapshot | null} */
let snapshot = null;
/** @type {number | null} */
let shown = null;
let isNew = false;
/** What was tapped on a sheet that is on its way to be used. @type {[sheet: Sheet, tapped: Tapped] | null} */
let wanted = null;

function draw() {
  const { sheets, chosen, carry } = book.sheets;
  const systems = snapshot?.systems ?? [];
  if (wanted?.[0].id === chosen) {
    const [, tapped] = wanted;
    wanted = null;
    preparing.use((part) => part.roll(snapshot, tapped));
  }
  // A new sheet is in the next list.
  if (sheets.some((one) => one.id === shown)) isNew = false;
  else if (!isNew) shown = chosen ?? sheets[0]?.id ?? null;
  carryKeys.show(carry);
  if (snapshot && isNews(rules, systems)) {
    render(
      systems.map((one) => html`<option value=${one.id}>${one.title}</option>`),
      rules,
    );
    rules.value = snapshot.system;
  }
  const isKnown = book.sheets !== UNKNOWN;
  if (isKnown && isNews(titleKeys.node, sheets.length)) learnNames();
  const names = sheets.map(
    ({ id, title }) =>
      html`<button type="button" class="key" data-sheet=${id} aria-pressed=${id === shown} @click=${() => show(id)}>${title}${id === chosen ? html`<small>${t("page.sheets.in_use")}</small>` : nothing}</button>`,
  );
  const none = isKnown ? html`<p class="quiet">${t("page.sheets.none")}</p>` : nothing;
  // Not before the rules are known: a sheet without them would be refused.
  const makeKeys = newSheetKeys(book.sheets.rules[rules.value], makeSheet);
  render(
    html`<div class="keys-row" role="group" aria-label=${t("page.sheets.characters")} data-testid="sheet-names">${sheets.length ? names : none}</div>${sheetPlace}
      <section class="card" aria-label=${t("page.sheets.more")}>
        <h2>${t("page.sheets.another")}</h2>
        <div class="row">${title}${rules}</div>${titleKeys.node}
        <p class="quiet">${t("page.sheets.new_how")}</p>
        <div class="keys-row" role="group" aria-label=${t("page.sheets.new")}>${makeKeys}</div>
        <div class="row"><label class="tool link import">${t("page.sheets.import")}<input type="file" accept="application/json,.json" aria-label=${t("page.sheets.bring_in")} @change=${bringIn}></label></div>
        <div class="row spread"><span>${t("page.sheets.carry_to")}</span>${carryKeys.node}</div>
      </section>`,
    byId("sheets"),
  );
  renderSheet(sheetPlace, {
    sheet: sheets.find((one) => one.id === shown),
    systems,
    book,
    onRoll: roll,
    mayRemove: true,
  });
}

/** A tap on an attribute or a skill declares its roll with this sheet. @param {Sheet} sheet @param {Tapped} tapped */
function roll(sheet, tapped) {
  wanted = [sheet, tapped];
  if (sheet.id !== book.sheets.chosen) book.send("PUT", "/api/sheets/chosen", { sheet: sheet.id });
  else draw();
}

/** Names without a sheet of the rules chosen. */
async function learnNames() {
  const players = await knownPlayers(rules.value);
  titleKeys.show((players ?? []).filter(({ sheet }) => sheet === null));
  draw();
}

/** @param {number} id */
function show(id) {
  shown = id;
  draw();
}

/** @param {{ id: number } | null} made */
function showNew(made) {
  if (!made) return;
  isNew = true;
  show(made.id);
}

/** @param {string | null} best */
async function makeSheet(best) {
  const name = title.value.trim() || t("page.sheets.unnamed");
  const made = await book.send("POST", "/api/sheets", { title: name, system: rules.value, best });
  if (!made) return;
  title.value = "";
  beginFull(made.id);
  showNew(made);
}

/** @param {Event} event */
async function bringIn(event) {
  const file = pickedFile(event);
  if (!file) return;
  const content = await file
    .text()
    .then(JSON.parse)
    .catch(() => null);
  if (content === null) say(t("page.sheets.no_json", { file: file.name }));
  else showNew(await book.send("POST", "/api/sheets/import", content));
}

draw();
book.onNews(draw);
follow((latest) => {
  snapshot = latest;
  book.update(latest);
  draw();
});
