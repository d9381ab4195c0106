// What is set before a throw: how many dice of each role, the facts that the rules ask for, which rules.

import { ask } from "../lib/api.js";
import { html, isNews } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { stepper } from "./stepper.js";
import { plainWord } from "../lib/words.js";

const MOST = 20;

export function setupPanel(root, say, hear) {
  const at = (id) => root.querySelector(`#${id}`);
  let queue = Promise.resolve();

  // One wish after another, so that a slow answer never overtakes a later one.
  function wish(method, path, body) {
    queue = queue.then(async () => {
      const answer = await ask(method, path, body());
      if (!answer.ok) say(answer.text);
      // Heard before the next tap counts on: a number that jumps back for a moment would swallow it.
      else hear(answer.snapshot);
    });
    return queue;
  }

  let counts = {};
  const pool = () => Object.fromEntries(Object.entries(counts).map(([role, one]) => [role, one.value]));

  function setRoles(roles) {
    if (roles.join() === Object.keys(counts).join()) return;
    counts = Object.fromEntries(roles.map((role) => [role, stepper(plainWord(role), 0, MOST, () => wish("PUT", "/api/pool", pool))]));
    at("steppers").replaceChildren(...roles.map((role) => counts[role].node));
  }

  let facts = [];

  // A fact of the roll as the rules describe it: one of some words, or a number.
  function factField(tile) {
    const set = (value) => wish("PATCH", "/api/context", () => ({ facts: { [tile.name]: value } }));
    if (tile.kind !== "choice") {
      const one = stepper(tile.title, tile.low, tile.high, set);
      return { name: tile.name, node: one.node, tell: one.tell };
    }
    const select = html("select", { "data-fact": tile.name }, html("option", { value: "" }, t("page.setup.none")), ...tile.choices.map((word) => html("option", { value: word }, plainWord(word))));
    select.addEventListener("change", () => set(select.value || null));
    const tell = (value) => {
      select.value = value ?? "";
    };
    return { name: tile.name, node: html("label", { class: "field" }, html("span", {}, tile.title), select), tell };
  }

  function setFacts(tiles) {
    if (!isNews(at("facts"), tiles)) return;
    facts = tiles.map(factField);
    at("facts").replaceChildren(...facts.map((one) => one.node));
    at("facts").hidden = !facts.length;
  }
  const clear = () => wish("PUT", "/api/pool", () => ({}));
  at("clear-pool").addEventListener("click", clear);
  at("system").addEventListener("change", (event) => wish("PUT", "/api/system", () => ({ system: event.target.value })));

  return {
    update(snapshot) {
      setRoles(snapshot.pool_roles ?? ["base", "skill", "gear", "negative"]);
      for (const [role, one] of Object.entries(counts)) one.tell(snapshot.pool?.[role]);
      at("clear-pool").hidden = snapshot.pool === null;
      setFacts(snapshot.roll_facts ?? []);
      for (const one of facts) one.tell(snapshot.context?.[one.name]);
      const systems = snapshot.systems ?? [];
      const select = at("system");
      const ids = systems.map((system) => system.id).join();
      if (select.dataset.ids !== ids) {
        select.replaceChildren(...systems.map((system) => html("option", { value: system.id }, system.title)));
        select.dataset.ids = ids;
      }
      select.value = snapshot.system ?? "";
    },
    pool,
    clear,
  };
}
