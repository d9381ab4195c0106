// @ts-check
// House rulings and dice roles: meaning, current value, and keys to change it. The tray stores every change.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { isNews, paint } from "../../ui/lib/drawing.js";
import { t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { choiceKeys } from "../../ui/components/fields.js";
import { follow, say } from "../../ui/components/page.js";
import { rulesLook } from "../../ui/components/rules-look.js";
import { stepper } from "../../ui/components/stepper.js";
import { tabList } from "../../ui/components/tabs.js";
import { capital, plainWord, ruleWord } from "../../ui/lib/words.js";

/** @import { Looks } from "../../ui/components/rules-look.js" */
/** @import { Snapshot } from "../../ui/lib/types.js" */
/** @typedef {{ name: string, title: string, why: string, value: any, default: any, choices?: any[], low?: number, high?: number }} Ruling */
/** @typedef {{ id: string, title: string, rulings: Ruling[] } & Looks} SystemRulings */
/** @typedef {{ id: string, allowed: string[], roles: Record<string, string>, chosen: string[] }} SystemRoles */
/** @typedef {{ systems: SystemRulings[] }} Rulings */
/** @typedef {{ systems: SystemRoles[], classes: string[] }} Roles */

const root = byId("rulings");
const tabsPlace = element(html`<div></div>`);
const systemPart = element(html`<div></div>`);
root.append(tabsPlace, systemPart);

/** @type {Snapshot | null} */
let snapshot = null;
/** @type {Rulings} */
let rulings;
/** @type {Roles} */
let roles;
/** @type {string | null} */
let shown = null;
/** @type {ReturnType<typeof tabList>} */
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

/**
 * @param {string} path
 * @param {object} body
 * @param {(latest: any) => void} keep
 */
async function put(path, body, keep) {
  const answer = await ask("PUT", path, body);
  if (!answer.ok) say(answer.text);
  else keep(answer.snapshot);
  draw();
  return answer.ok;
}

/** @param {{ systems: { id: string }[] }} whole */
const keepIn = (whole) => (/** @type {{ id: string }} */ latest) => {
  whole.systems = whole.systems.map((one) => (one.id === latest.id ? latest : one));
};

/**
 * The button that restores the rules' default.
 * @param {string} name
 * @param {() => unknown} onBack
 */
function backKey(name, onBack) {
  return html`<button type="button" class="tool" aria-label=${t("page.ruling.back_what", { what: name })} @click=${onBack}>${t("page.ruling.back")}</button>`;
}

/**
 * @param {SystemRulings} system
 * @param {Ruling} ruling
 */
function rulingRow(system, ruling) {
  /** @param {unknown} value */
  const choose = (value) => put(`/api/rulings/${system.id}`, { rulings: { [ruling.name]: value } }, keepIn(rulings));
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

/**
 * @param {SystemRoles} system
 * @param {string} name
 */
function roleRow(system, name) {
  /** @param {string | null} role */
  const choose = (role) => put(`/api/roles/${system.id}`, { roles: { [name]: role } }, keepIn(roles));
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
  if (
    isNews(
      tabsPlace,
      rulings.systems.map((one) => [one.id, one.title]),
    )
  ) {
    tabs = tabList(
      t("page.ruling.rules"),
      "system",
      rulings.systems.map((one) => [one.id, one.title]),
      () => systemPart,
      turn,
    );
    render(tabs.node, tabsPlace);
  }
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
  const [first, second] = await Promise.all([ask("GET", "/api/rulings"), ask("GET", "/api/roles")]);
  if (!first.ok) return say(first.text);
  if (!second.ok) return say(second.text);
  [rulings, roles] = [first.snapshot, second.snapshot];
  draw();
}

follow((latest) => {
  const isFirst = snapshot === null;
  snapshot = latest;
  if (isFirst) load();
  else draw();
});
