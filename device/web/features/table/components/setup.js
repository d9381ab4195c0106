// @ts-check
// Settings before a throw: dice of each role, facts for the rules, rule system.

import { ask } from "../../../ui/lib/api.js";
import { byId, element, valueOf } from "../../../ui/lib/dom.js";
import { isNews } from "../../../ui/lib/drawing.js";
import { maybe, t } from "../../../ui/lib/texts.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { stepper } from "../../../ui/components/stepper.js";
import { capital, plainWord, ruleWord } from "../../../ui/lib/words.js";

/** @import { Counts, Say, Snapshot, Tile } from "../../../ui/lib/types.js" */
/** @typedef {{ name: string, node: HTMLElement, show: (value: any) => void }} Fact */

const MAX_DICE = 20;

/**
 * @param {Say} say
 * @param {(snapshot: Snapshot) => void} hear
 */
export function setupPanel(say, hear) {
  /** @type {Promise<void>} */
  let queue = Promise.resolve();

  /**
   * Sends requests one after another, so that a slow response never overtakes a later one.
   * @param {string} method
   * @param {string} path
   * @param {() => object} body
   */
  function send(method, path, body) {
    queue = queue.then(async () => {
      const answer = await ask(method, path, body());
      if (!answer.ok) say(answer.text);
      // Apply the response before the next tap counts: a number that jumps back would swallow it.
      else hear(answer.snapshot);
    });
    return queue;
  }

  /** @type {Record<string, ReturnType<typeof stepper>>} */
  let counts = {};
  /** @returns {Counts} */
  const pool = () => Object.fromEntries(Object.entries(counts).map(([role, one]) => [role, one.value]));

  /** @param {string[]} roles */
  function setRoles(roles) {
    if (roles.join() === Object.keys(counts).join()) return;
    counts = Object.fromEntries(
      roles.map((role) => [
        role,
        stepper(
          roles.length > 1 ? plainWord(role) : capital(maybe(`dice.${role}`, { count: 2 }) ?? ruleWord(role)),
          0,
          MAX_DICE,
          () => send("PUT", "/api/pool", pool),
        ),
      ]),
    );
    render(
      roles.map((role) => counts[role].node),
      byId("steppers"),
    );
  }

  /** @type {Fact[]} */
  let facts = [];

  /**
   * A fact of the roll as the rules describe it: a choice or a number.
   * @param {Tile} tile
   * @returns {Fact}
   */
  function factField(tile) {
    /** @param {string | number | null} value */
    const set = (value) => send("PATCH", "/api/context", () => ({ facts: { [tile.name]: value } }));
    if (tile.kind !== "choice") {
      const one = stepper(tile.title, tile.low ?? 0, tile.high ?? 0, set);
      return { name: tile.name, node: one.node, show: (value) => one.show(value) };
    }
    /** @type {HTMLSelectElement} */
    const select = element(
      html`<select data-fact=${tile.name} @change=${() => set(select.value || null)}><option value="">${t("page.setup.none")}</option>${tile.choices?.map((word) => html`<option value=${word}>${plainWord(word)}</option>`)}</select>`,
    );
    const show = (/** @type {string | null} */ value) => {
      select.value = value ?? "";
    };
    return {
      name: tile.name,
      node: element(html`<label class="field"><span>${tile.title}</span>${select}</label>`),
      show,
    };
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
  const clear = () => send("PUT", "/api/pool", () => ({}));
  const select = byId("system", HTMLSelectElement);
  byId("clear-pool").addEventListener("click", clear);
  select.addEventListener("change", (event) => {
    const system = valueOf(event);
    send("PUT", "/api/system", () => ({ system }));
  });

  return {
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      setRoles(snapshot.pool_roles ?? ["base", "skill", "gear", "negative"]);
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
