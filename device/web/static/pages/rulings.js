// House rulings and dice roles: what each means, what holds, and keys to change it. The tray keeps every change.

import { ask } from "../lib/api.js";
import { bodyHex, html, isNews } from "../lib/drawing.js";
import { choiceKeys } from "../components/fields.js";
import { follow, say } from "../components/page.js";
import { stepper } from "../components/stepper.js";
import { tabList } from "../components/tabs.js";
import { capital, plainWord } from "../lib/words.js";

const root = document.getElementById("rulings");
const tabsPlace = html("div");
const rolesCard = html("section", { class: "card", "aria-label": "Dice roles" });
const rulingsCard = html("section", { class: "card", "aria-label": "House rulings" });
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
  if (value === true) return "on";
  if (value === false) return "off";
  return typeof value === "string" ? plainWord(value).toLowerCase() : String(value);
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
    control = choiceKeys(plainWord(ruling.name), options, { value: ruling.value, optional: false, onPick: choose }).node;
  } else {
    const one = stepper(plainWord(ruling.name), ruling.low ?? 0, ruling.high ?? 100, choose, { wide: false });
    one.tell(ruling.value);
    control = one.node;
  }
  // What the settings say counts as changed too: it is not what the rules leave open.
  const isChanged = ruling.value !== ruling.default;
  const note = html("div", { class: "ruling-note" }, `Default: ${choiceWords(ruling.default)}`);
  if (isChanged) {
    const back = html("button", { type: "button", class: "tool", "aria-label": `${plainWord(ruling.name)}: back to the default` }, "Back to the default");
    back.addEventListener("click", () => choose(null));
    note.append(back);
  }
  return html("article", { class: "ruling", "data-ruling": ruling.name, "data-chosen": String(isChanged), "data-value": JSON.stringify(ruling.value) }, html("div", {}, html("h3", {}, plainWord(ruling.name)), html("p", {}, ruling.why)), html("div", { class: "ruling-side" }, control, note));
}

function roleRow(system, name) {
  const choose = (role) => put(`/api/roles/${system.id}`, { roles: { [name]: role } }, keepIn(roles));
  const options = system.allowed.map((role) => ({ value: role, text: capital(role) }));
  const swatch = html("span", { class: "swatch" });
  swatch.style.setProperty("--body", bodyHex(name, snapshot?.colours));
  const note = html("div", { class: "ruling-note" }, system.roles[name] ? "" : "Means nothing in these rules.");
  if (system.chosen.includes(name)) {
    const back = html("button", { type: "button", class: "tool", "aria-label": `${capital(name)} dice: back to the default` }, "Back to the default");
    back.addEventListener("click", () => choose(null));
    note.append(back);
  }
  const colour = snapshot?.colours?.[name];
  return html("article", { class: "ruling", "data-class": name, "data-role": system.roles[name] ?? "", "data-chosen": String(system.chosen.includes(name)) }, html("div", {}, html("h3", {}, swatch, `${capital(name)} dice${colour ? ` (${colour})` : ""}`)), html("div", { class: "ruling-side" }, choiceKeys(`${capital(name)} dice count as`, options, { value: system.roles[name], optional: false, onPick: choose }).node, note));
}

function draw() {
  if (!rulings || !roles) return;
  shown ??= snapshot?.system ?? rulings.systems[0].id;
  if (!isNews(root, rulings, roles, shown, snapshot?.colours)) return;
  if (isNews(tabsPlace, rulings.systems.map((one) => [one.id, one.title]))) {
    tabs = tabList("Rules", "system", rulings.systems.map((one) => [one.id, one.title]), () => systemPart, turn);
    tabsPlace.replaceChildren(tabs.node);
  }
  tabs.show(shown);
  const system = rulings.systems.find((one) => one.id === shown);
  const its = roles.systems.find((one) => one.id === shown);
  rulingsCard.replaceChildren(html("h2", {}, "House rulings"), html("p", { class: "quiet" }, "Where the rules leave a question open, your table decides here. Every change is kept."), ...system.rulings.map((ruling) => rulingRow(system, ruling)));
  rolesCard.replaceChildren(html("h2", {}, "What each colour of dice counts as"), html("p", { class: "quiet" }, "Dice are told apart by their colour class."), ...roles.classes.map((name) => roleRow(its, name)));
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
