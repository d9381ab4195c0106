// House rulings and dice roles: what each means, what holds, and keys to change it. The tray keeps every change.

import { ask } from "../lib/api.js";
import { bodyHex, html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { choiceKeys } from "../components/fields.js";
import { follow, say } from "../components/page.js";
import { stepper } from "../components/stepper.js";
import { tabList } from "../components/tabs.js";
import { capital, plainWord, ruleWord } from "../lib/words.js";

const root = document.getElementById("rulings");
const tabsPlace = html("div");
const rolesCard = html("section", { class: "card", "aria-label": t("page.ruling.roles") });
const rulingsCard = html("section", { class: "card", "aria-label": t("page.ruling.house") });
const systemPart = html("div", {}, rulingsCard, rolesCard);
root.append(tabsPlace, systemPart);

let snapshot = null;
let rulings = null;
let roles = null;
let shown = null;
let tabs = null;

function turn(to) {
  shown = to;
  draw();
}

function choiceWords(value) {
  if (value === true) return t("page.ruling.on");
  if (value === false) return t("page.ruling.off");
  return typeof value === "string" ? ruleWord(value) : String(value);
}

async function put(path, body, keep) {
  const answer = await ask("PUT", path, body);
  if (!answer.ok) say(answer.text);
  else keep(answer.snapshot);
  draw();
  return answer.ok;
}

const keepIn = (whole) => (latest) => {
  whole.systems = whole.systems.map((one) => (one.id === latest.id ? latest : one));
};

function rulingRow(system, ruling) {
  const choose = (value) => put(`/api/rulings/${system.id}`, { rulings: { [ruling.name]: value } }, keepIn(rulings));
  let control;
  if (ruling.choices) {
    const options = ruling.choices.map((value) => ({ value, text: capital(choiceWords(value)) }));
    control = choiceKeys(ruling.title, options, { value: ruling.value, optional: false, onPick: choose }).node;
  } else {
    const one = stepper(ruling.title, ruling.low ?? 0, ruling.high ?? 100, choose, { wide: false });
    one.tell(ruling.value);
    control = one.node;
  }
  // What the settings say counts as changed too: it is not what the rules leave open.
  const isChanged = ruling.value !== ruling.default;
  const note = html("div", { class: "ruling-note" }, t("page.ruling.default", { value: choiceWords(ruling.default) }));
  if (isChanged) {
    const back = html("button", { type: "button", class: "tool", "aria-label": t("page.ruling.back_what", { what: ruling.title }) }, t("page.ruling.back"));
    back.addEventListener("click", () => choose(null));
    note.append(back);
  }
  return html("article", { class: "ruling", "data-ruling": ruling.name, "data-chosen": String(isChanged), "data-value": JSON.stringify(ruling.value) }, html("div", {}, html("h3", { "data-changed": t("page.ruling.changed") }, ruling.title), html("p", {}, ruling.why)), html("div", { class: "ruling-side" }, control, note));
}

function roleRow(system, name) {
  const choose = (role) => put(`/api/roles/${system.id}`, { roles: { [name]: role } }, keepIn(roles));
  const options = system.allowed.map((role) => ({ value: role, text: plainWord(role) }));
  const swatch = html("span", { class: "swatch" });
  swatch.style.setProperty("--body", bodyHex(name, snapshot?.colours));
  const note = html("div", { class: "ruling-note" }, system.roles[name] ? "" : t("page.ruling.means_nothing"));
  if (system.chosen.includes(name)) {
    const back = html("button", { type: "button", class: "tool", "aria-label": t("page.ruling.back_what", { what: t("page.ruling.dice", { colour: plainWord(name) }) }) }, t("page.ruling.back"));
    back.addEventListener("click", () => choose(null));
    note.append(back);
  }
  const colour = snapshot?.colours?.[name];
  return html("article", { class: "ruling", "data-class": name, "data-role": system.roles[name] ?? "", "data-chosen": String(system.chosen.includes(name)) }, html("div", {}, html("h3", { "data-changed": t("page.ruling.changed") }, swatch, t(colour ? "page.ruling.dice_of" : "page.ruling.dice", { colour: plainWord(name), body: colour ? ruleWord(colour) : "" }))), html("div", { class: "ruling-side" }, choiceKeys(t("page.ruling.count_as", { colour: plainWord(name) }), options, { value: system.roles[name], optional: false, onPick: choose }).node, note));
}

function draw() {
  if (!rulings || !roles) return;
  shown ??= snapshot?.system ?? rulings.systems[0].id;
  if (!isNews(root, rulings, roles, shown, snapshot?.colours)) return;
  if (isNews(tabsPlace, rulings.systems.map((one) => [one.id, one.title]))) {
    tabs = tabList(t("page.ruling.rules"), "system", rulings.systems.map((one) => [one.id, one.title]), () => systemPart, turn);
    tabsPlace.replaceChildren(tabs.node);
  }
  tabs.show(shown);
  const system = rulings.systems.find((one) => one.id === shown);
  const its = roles.systems.find((one) => one.id === shown);
  rulingsCard.replaceChildren(html("h2", {}, t("page.ruling.house")), html("p", { class: "quiet" }, t("page.ruling.open")), ...system.rulings.map((ruling) => rulingRow(system, ruling)));
  rolesCard.replaceChildren(html("h2", {}, t("page.ruling.what")), html("p", { class: "quiet" }, t("page.ruling.told_apart")), ...roles.classes.map((name) => roleRow(its, name)));
}

async function load() {
  const [first, second] = await Promise.all([ask("GET", "/api/rulings"), ask("GET", "/api/roles")]);
  if (!first.ok || !second.ok) {
    say(first.text ?? second.text);
    return;
  }
  [rulings, roles] = [first.snapshot, second.snapshot];
  draw();
}

follow((latest) => {
  const isFirst = snapshot === null;
  snapshot = latest;
  if (isFirst) load();
  else draw();
});
