// @ts-check
// Character sheets, stored on the tray; changed by hand here and by the costs of rolls.

import { byId, element } from "../../ui/lib/dom.js";
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
const names = element(
  html`<div class="keys-row" role="group" aria-label=${t("page.sheets.characters")} data-testid="sheet-names"></div>`,
);
const carryKeys = choiceKeys(
  t("page.sheets.carry"),
  [
    { value: "ask", text: t("page.sheets.with_tap") },
    { value: "always", text: t("page.sheets.by_itself") },
  ],
  { value: "ask", optional: false, onPick: (carry) => book.send("PUT", "/api/sheets/carry", { carry }) },
);
/** @type {HTMLInputElement} */
const title = element(
  html`<input type="text" maxlength="80" autocomplete="off" placeholder=${t("page.sheets.new_name")} aria-label=${t("page.sheets.new_name")}>`,
);
/** @type {HTMLSelectElement} */
const rules = element(html`<select aria-label=${t("page.sheets.rules")} @change=${drawNew}></select>`);
// Not before the rules are known: a sheet without them would be refused.
const makeKeys = element(html`<div class="keys-row" role="group" aria-label=${t("page.sheets.new")}></div>`);
const titleKeys = nameKeys((name) => (title.value = name));
/** @type {HTMLInputElement} */
const file = element(
  html`<input type="file" accept="application/json,.json" aria-label=${t("page.sheets.bring_in")} @change=${bringIn}>`,
);
const sheetPlace = element(html`<div id="sheet"></div>`);

render(
  html`${names}${sheetPlace}
    <section class="card" aria-label=${t("page.sheets.more")}>
      <h2>${t("page.sheets.another")}</h2>
      <div class="row">${title}${rules}</div>${titleKeys.node}
      <p class="quiet">${t("page.sheets.new_how")}</p>
      ${makeKeys}
      <div class="row"><label class="tool link import">${t("page.sheets.import")}${file}</label></div>
      <div class="row spread"><span>${t("page.sheets.carry_to")}</span>${carryKeys.node}</div>
    </section>`,
  byId("sheets"),
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
  if (wanted?.[0].id === chosen) {
    const [, tapped] = wanted;
    wanted = null;
    preparing.use((part) => part.roll(snapshot, tapped));
  }
  const known = sheets.some((one) => one.id === shown);
  // A new sheet is in the next list.
  if (known) isNew = false;
  else if (!isNew) shown = chosen ?? sheets[0]?.id ?? null;
  carryKeys.show(carry);
  const systems = snapshot?.systems ?? [];
  if (snapshot && isNews(rules, systems)) {
    render(
      systems.map((one) => html`<option value=${one.id}>${one.title}</option>`),
      rules,
    );
    rules.value = snapshot.system;
  }
  if (isNews(makeKeys, book.sheets.rules, book.sheets.sheets.length)) drawNew();
  const show = (/** @type {Sheet} */ { id }) => {
    shown = id;
    draw();
  };
  render(
    sheets.length
      ? sheets.map(
          (one) =>
            html`<button type="button" class="key" data-sheet=${one.id} aria-pressed=${one.id === shown} @click=${() => show(one)}>${one.title}${one.id === chosen ? html`<small>${t("page.sheets.in_use")}</small>` : nothing}</button>`,
        )
      : book.sheets === UNKNOWN
        ? nothing
        : html`<p class="quiet">${t("page.sheets.none")}</p>`,
    names,
  );
  const sheet = sheets.find((one) => one.id === shown);
  renderSheet(sheetPlace, { sheet, systems, book, onRoll: roll, mayRemove: true });
}

const preparing = onDemand(async () =>
  (await import("../../ui/components/prepared-roll.js")).preparePanel(book, null, () => location.assign("/")),
);
/**
 * A tap on an attribute or a skill declares its roll with this sheet.
 * @param {Sheet} sheet
 * @param {Tapped} tapped
 */
function roll(sheet, tapped) {
  wanted = [sheet, tapped];
  if (sheet.id !== book.sheets.chosen) book.send("PUT", "/api/sheets/chosen", { sheet: sheet.id });
  else draw();
}

/** The ways to begin a sheet, and names without one. */
async function drawNew() {
  render(newSheetKeys(book.sheets.rules[rules.value], makeSheet), makeKeys);
  if (!rules.value) return;
  const players = await knownPlayers(rules.value);
  titleKeys.show((players ?? []).filter(({ sheet }) => sheet === null));
}

/** @param {number} id */
function showNew(id) {
  shown = id;
  isNew = true;
  draw();
}

/** @param {string | null} best */
async function makeSheet(best) {
  const made = await book.send("POST", "/api/sheets", {
    title: title.value.trim() || t("page.sheets.unnamed"),
    system: rules.value,
    best,
  });
  if (!made) return;
  title.value = "";
  beginFull(made.id);
  showNew(made.id);
}

async function bringIn() {
  const chosen = file.files?.[0];
  file.value = "";
  if (!chosen) return;
  let content;
  try {
    content = JSON.parse(await chosen.text());
  } catch {
    say(t("page.sheets.no_json", { file: chosen.name }));
    return;
  }
  const made = await book.send("POST", "/api/sheets/import", content);
  if (!made) return;
  showNew(made.id);
}

book.onNews(draw);
follow((latest) => {
  snapshot = latest;
  book.update(latest);
  draw();
});
