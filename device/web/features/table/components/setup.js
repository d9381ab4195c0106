// @ts-check
// Settings before a throw: dice of each role, facts for the rules, rule system.

import { ask } from "../../../ui/lib/api.js";
import { byId, element, valueOf } from "../../../ui/lib/dom.js";
import { isNews } from "../../../ui/lib/drawing.js";
import { maybe, t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { say } from "../../../ui/components/page.js";
import { stepper } from "../../../ui/components/stepper.js";
import { capital, plainWord, ruleWord } from "../../../ui/lib/words.js";

/** @import { Counts, Snapshot, Tile } from "../../../ui/lib/types.js" */
/** @typedef {{ name: string, node: HTMLElement, show: (value: any) => void }} Fact */

const MAX_DICE = 20;
const USUAL_ROLES = ["base", "skill", "gear", "negative"];

/** @param {(snapshot: Snapshot) => void} hear */
export function setupPanel(hear) {
  /** @type {Promise<void>} */
  let queue = Promise.resolve();
  /** @type {Record<string, ReturnType<typeof stepper>>} */
  let counts = {};
  /** @type {Fact[]} */
  let facts = [];
  const select = byId("system", HTMLSelectElement);

  // Sends requests one after another, so that a slow response never overtakes a later one.
  /** @param {string} method @param {string} path @param {() => object} body */
  function send(method, path, body) {
    queue = queue.then(async () => {
      const answer = await ask(method, path, body());
      if (!answer.ok) say(answer.text);
      // Apply the response before the next tap counts: a number that jumps back would swallow it.
      else hear(answer.snapshot);
    });
    return queue;
  }

  /** @returns {Counts} */
  const pool = () => Object.fromEntries(Object.entries(counts).map(([role, one]) => [role, one.value]));
  const clear = () => send("PUT", "/api/pool", () => ({}));

  /** @param {string[]} roles */
  function setRoles(roles) {
    if (roles.join() === Object.keys(counts).join()) return;
    const nameOf = (/** @type {string} */ role) =>
      roles.length > 1 ? plainWord(role) : capital(maybe(`dice.${role}`, { count: 2 }) ?? ruleWord(role));
    const change = () => send("PUT", "/api/pool", pool);
    counts = Object.fromEntries(roles.map((role) => [role, stepper(nameOf(role), 0, MAX_DICE, change)]));
    render(
      roles.map((role) => counts[role].node),
      byId("steppers"),
    );
  }

  /** A fact of the roll as the rules describe it: a choice or a number. @param {Tile} tile @returns {Fact} */
  function factField({ name, title, kind, low, high, choices }) {
    /** @param {string | number | null} value */
    const set = (value) => send("PATCH", "/api/context", () => ({ facts: { [name]: value } }));
    if (kind !== "choice") return { name, ...stepper(title, low ?? 0, high ?? 0, set) };
    /** @type {HTMLSelectElement} */
    const list = element(
      html`<select data-fact=${name} @change=${() => set(list.value || null)}><option value="">${t("page.setup.none")}</option>${choices?.map((word) => html`<option value=${word}>${plainWord(word)}</option>`)}</select>`,
    );
    const show = (/** @type {string | null} */ value) => {
      list.value = value ?? "";
    };
    return { name, node: element(html`<label class="field"><span>${title}</span>${list}</label>`), show };
  }

  /** @param {Tile[]} tiles */
  function setFacts(tiles) {
    const place = byId("facts");
    if (!isNews(place, tiles)) return;
    facts = tiles.map(factField);
    render(
      facts.map((one) => one.node),
      place,
    );
    place.hidden = !facts.length;
  }

  byId("clear-pool").addEventListener("click", clear);
  select.addEventListener("change", (event) => {
    const system = valueOf(event);
    send("PUT", "/api/system", () => ({ system }));
  });

  return {
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      setRoles(snapshot.pool_roles ?? USUAL_ROLES);
      for (const [role, one] of Object.entries(counts)) one.show(snapshot.pool?.[role]);
      byId("clear-pool").hidden = snapshot.pool === null;
      setFacts(snapshot.roll_facts ?? []);
      for (const one of facts) one.show(snapshot.context?.[one.name]);
      render(
        (snapshot.systems ?? []).map((system) => html`<option value=${system.id}>${system.title}</option>`),
        select,
      );
      select.value = snapshot.system ?? "";
    },
    pool,
    clear,
  };
}
