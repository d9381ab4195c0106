// Characters: what each counts, kept on the tray; filled by hand here and by what rolls cost.

import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { tableBook } from "../lib/table-data.js";
import { choiceKeys } from "../components/fields.js";
import { follow, say } from "../components/page.js";
import { confirmed } from "../components/dialog.js";
import { renderSheet } from "../components/sheet.js";

const root = document.getElementById("sheets");
const book = tableBook(say);
const names = html("div", { class: "keys-row", role: "group", "aria-label": t("page.sheets.characters"), "data-testid": "sheet-names" });
const carryKeys = choiceKeys(t("page.sheets.carry"), [{ value: "ask", text: t("page.sheets.with_tap") }, { value: "always", text: t("page.sheets.by_itself") }], { value: "ask", optional: false, onPick: (carry) => book.wish("PUT", "/api/sheets/carry", { carry }) });
const title = html("input", { type: "text", maxlength: 80, autocomplete: "off", placeholder: t("page.sheets.new_name"), "aria-label": t("page.sheets.new_name") });
const rules = html("select", { "aria-label": t("page.sheets.rules") });
// Not before the tray has said which rules there are: a sheet without any would be refused.
const make = html("button", { type: "button", class: "tool go", "data-testid": "new-sheet", disabled: true }, t("page.sheets.new"));
const file = html("input", { type: "file", accept: "application/json,.json", "aria-label": t("page.sheets.bring_in") });
const sheetPlace = html("div", { id: "sheet" });

root.append(
  names,
  sheetPlace,
  html("section", { class: "card", "aria-label": t("page.sheets.more") }, html("h2", {}, t("page.sheets.another")), html("div", { class: "row" }, title, rules, make, html("label", { class: "tool link import" }, t("page.sheets.import"), file)), html("div", { class: "row spread" }, html("span", {}, t("page.sheets.carry_to")), carryKeys.node)),
);

let snapshot = null;
let shown = null;
let isNew = false;

function draw() {
  const { sheets, chosen, carry } = book.sheets;
  const known = sheets.some((one) => one.id === shown);
  // A sheet that was just made comes with the next list.
  if (known) isNew = false;
  else if (!isNew) shown = chosen ?? sheets[0]?.id ?? null;
  carryKeys.tell(carry);
  const systems = snapshot?.systems ?? [];
  if (isNews(rules, systems)) {
    rules.replaceChildren(...systems.map((one) => html("option", { value: one.id }, one.title)));
    rules.value = snapshot.system;
    make.disabled = systems.length === 0;
  }
  if (isNews(names, sheets.map((one) => [one.id, one.title]), shown, chosen)) {
    names.replaceChildren(
      ...sheets.map((one) => {
        const key = html("button", { type: "button", class: "key", "data-sheet": one.id, "aria-pressed": String(one.id === shown) }, one.title, one.id === chosen ? html("small", {}, t("page.sheets.in_use")) : "");
        key.addEventListener("click", () => {
          shown = one.id;
          draw();
        });
        return key;
      }),
      ...(sheets.length ? [] : [html("p", { class: "quiet" }, t("page.sheets.none"))]),
    );
  }
  const sheet = sheets.find((one) => one.id === shown);
  const system = systems.find((one) => one.id === sheet?.system);
  renderSheet(sheetPlace, { sheet, system, inUse: shown === chosen, book, onRemove: remove });
}

function showNew(id) {
  shown = id;
  isNew = true;
  draw();
}

async function remove(sheet) {
  if (await confirmed(t("page.sheets.ask_away", { sheet: sheet.title }), t("page.sheets.yes_away"))) await book.wish("DELETE", `/api/sheets/${sheet.id}`);
}

make.addEventListener("click", async () => {
  const made = await book.wish("POST", "/api/sheets", { title: title.value.trim() || t("page.sheets.unnamed"), system: rules.value });
  if (!made) return;
  title.value = "";
  showNew(made.id);
});

file.addEventListener("change", async () => {
  const [chosen] = file.files;
  file.value = "";
  if (!chosen) return;
  let content;
  try {
    content = JSON.parse(await chosen.text());
  } catch {
    say(t("page.sheets.no_json", { file: chosen.name }));
    return;
  }
  const made = await book.wish("POST", "/api/sheets/import", content);
  if (!made) return;
  showNew(made.id);
});

book.onNews(draw);
follow((latest) => {
  snapshot = latest;
  book.update(latest);
  draw();
});
