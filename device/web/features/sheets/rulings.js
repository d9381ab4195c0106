// @ts-check
// House rulings and dice roles: meaning, current value, and keys to change it. The tray stores every change.

import { byId, element } from "../../ui/lib/dom.js";
import { isNews, paint } from "../../ui/lib/drawing.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { choiceKeys } from "../../ui/components/fields.js";
import { follow, send } from "../../ui/components/page.js";
import { rulesLook } from "../../ui/components/rules-look.js";
import { stepper } from "../../ui/components/stepper.js";
import { tabList } from "../../ui/components/tabs.js";
import { capital, plainWord, ruleWord } from "../../ui/lib/words.js";

/** @import { Looks } from "../../ui/components/rules-look.js" */
/** @import { Roles, Snapshot } from "../../ui/lib/types.js" */
/** @typedef {{ name: string, title: string, why: string, value: any, default: any, choices?: any[], low?: number, high?: number }} Ruling */
/** @typedef {{ id: string, title: string, rulings: Ruling[] } & Looks} SystemRulings */
/** @typedef {{ systems: SystemRulings[] }} Rulings */

const root = byId("rulings");
const systemPart = element(html`<div></div>`);

/** @type {Snapshot | null} */
let snapshot = null;
/** @type {Rulings} */
let rulings;
/** @type {Roles} */
let roles;
/** @type {string | null} */
let shown = null;
/** @type {ReturnType<typeof tabList> | undefined} */
let tabs;

/** @param {string} to */
function turn(to) {
  shown = to;
  draw();
}

/** @param {unknown} value */
function choiceWords(value) {
  if (value === true) return t("page.ruling.on");
  if (value === false) return t("page.ruling.off");
  return typeof value === "string" ? ruleWord(value) : String(value);
}

/** @param {{ systems: { id: string }[] }} whole where the answer belongs @param {string} path @param {object} body */
async function put(whole, path, body) {
  const latest = await send("PUT", path, body);
  if (latest) whole.systems = whole.systems.map((one) => (one.id === latest.id ? latest : one));
  draw();
}

/** The button that restores the rules' default. @param {string} name @param {() => unknown} onBack */
function backKey(name, onBack) {
  return html`<button type="button" class="tool" aria-label=${t("page.ruling.back_what", { what: name })} @click=${onBack}>${t("page.ruling.back")}</button>`;
}

/** @param {SystemRulings} system @param {Ruling} ruling */
function rulingRow(system, ruling) {
  /** @param {unknown} value */
  const choose = (value) => put(rulings, `/api/rulings/${system.id}`, { rulings: { [ruling.name]: value } });
  let control;
  if (ruling.choices) {
    const options = ruling.choices.map((value) => ({ value, text: capital(choiceWords(value)) }));
    control = choiceKeys(ruling.title, options, { value: ruling.value, optional: false, onPick: choose }).node;
  } else {
    const one = stepper(ruling.title, ruling.low ?? 0, ruling.high ?? 100, choose, { wide: false });
    one.show(ruling.value);
    control = one.node;
  }
  // A value from the settings counts as changed as well.
  const isChanged = ruling.value !== ruling.default;
  return html`<article class="ruling" data-ruling=${ruling.name} data-chosen=${isChanged} data-value=${JSON.stringify(ruling.value)}>
    <div><h3 data-changed=${t("page.ruling.changed")}>${ruling.title}</h3><p>${ruling.why}</p></div>
    <div class="ruling-side">${control}<div class="ruling-note">${t("page.ruling.default", { value: choiceWords(ruling.default) })}${isChanged ? backKey(ruling.title, () => choose(null)) : nothing}</div></div>
  </article>`;
}

/** @param {Roles["systems"][0]} system @param {string} name */
function roleRow(system, name) {
  /** @param {string | null} role */
  const choose = (role) => put(roles, `/api/roles/${system.id}`, { roles: { [name]: role } });
  const options = system.allowed.map((role) => ({ value: role, text: plainWord(role) }));
  const colour = snapshot?.colours?.[name];
  const isChosen = system.chosen.includes(name);
  const keys = choiceKeys(t("page.ruling.count_as", { colour: plainWord(name) }), options, {
    value: system.roles[name],
    optional: false,
    onPick: choose,
  });
  return html`<article class="ruling" data-class=${name} data-role=${system.roles[name] ?? ""} data-chosen=${isChosen}>
    <div><h3 data-changed=${t("page.ruling.changed")}><span class="swatch" .style=${paint(name, snapshot?.colours)}></span>${t(colour ? "page.ruling.dice_of" : "page.ruling.dice", { colour: plainWord(name), body: colour ? ruleWord(colour) : "" })}</h3></div>
    <div class="ruling-side">${keys.node}<div class="ruling-note">${system.roles[name] ? "" : t("page.ruling.means_nothing")}${isChosen ? backKey(t("page.ruling.dice", { colour: plainWord(name) }), () => choose(null)) : nothing}</div></div>
  </article>`;
}

function draw() {
  if (!rulings || !roles) return;
  shown ??= snapshot?.system ?? rulings.systems[0].id;
  if (!isNews(root, rulings, roles, shown, snapshot?.colours)) return;
  tabs ??= tabList(
    t("page.ruling.rules"),
    "system",
    rulings.systems.map((one) => [one.id, one.title]),
    () => systemPart,
    turn,
  );
  render(html`<div>${tabs.node}</div>${systemPart}`, root);
  tabs.show(shown);
  const system = rulings.systems.find((one) => one.id === shown);
  const its = roles.systems.find((one) => one.id === shown);
  if (!system || !its) return;
  render(
    html`<section class="card rules-card" aria-label=${system.title}><h2>${system.title}</h2>${rulesLook(system, snapshot?.colours)}</section>
      <section class="card" aria-label=${t("page.ruling.house")}>
        <h2>${t("page.ruling.house")}</h2>
        <p class="quiet">${t("page.ruling.open")}</p>
        ${system.rulings.map((ruling) => rulingRow(system, ruling))}
      </section>
      <section class="card" aria-label=${t("page.ruling.roles")}>
        <h2>${t("page.ruling.what")}</h2>
        <p class="quiet">${t("page.ruling.told_apart")}</p>
        ${roles.classes.map((name) => roleRow(its, name))}
      </section>`,
    systemPart,
  );
}

async function load() {
  const [first, second] = await Promise.all([send("GET", "/api/rulings"), send("GET", "/api/roles")]);
  if (!first || !second) return;
  [rulings, roles] = [first, second];
  draw();
}

follow((latest) => {
  const isFirst = snapshot === null;
  snapshot = latest;
  if (isFirst) load();
  else draw();
});
