// What is set before a throw: how many dice of each role, whose attribute, which gear, which rules.

import { ask } from "./api.js";
import { html } from "./drawing.js";
import { stepper } from "./stepper.js";
import { capital } from "./words.js";

const MOST = 20;
const FACTS = [
  ["attribute", "Attribute now", 0, 12],
  ["gear_bonus", "Gear bonus", 0, 5],
];
// Systems whose pushes cost attribute and gear; the others ask for dice alone.
const WITH_COSTS = new Set(["push-pool"]);

export function setupPanel(root, say) {
  const at = (id) => root.querySelector(`#${id}`);
  let queue = Promise.resolve();

  // One wish after another, so that a slow answer never overtakes a later one.
  function wish(method, path, body) {
    queue = queue.then(async () => {
      const answer = await ask(method, path, body());
      if (!answer.ok) say(answer.text);
    });
    return queue;
  }

  let counts = {};
  const pool = () => Object.fromEntries(Object.entries(counts).map(([role, one]) => [role, one.value]));

  function setRoles(roles) {
    if (roles.join() === Object.keys(counts).join()) return;
    counts = Object.fromEntries(roles.map((role) => [role, stepper(capital(role), 0, MOST, () => wish("PUT", "/api/pool", pool))]));
    at("steppers").replaceChildren(...roles.map((role) => counts[role].node));
  }

  const facts = Object.fromEntries(FACTS.map(([name, label, low, high]) => [name, stepper(label, low, high, (value) => wish("PATCH", "/api/context", () => ({ facts: { [name]: value } })))]));
  at("facts").replaceChildren(...FACTS.map(([name]) => facts[name].node));

  at("attribute-name").addEventListener("change", (event) => wish("PATCH", "/api/context", () => ({ facts: { attribute_name: event.target.value || null } })));
  at("system").addEventListener("change", (event) => wish("PUT", "/api/system", () => ({ system: event.target.value })));

  return {
    update(snapshot) {
      setRoles(snapshot.pool_roles ?? ["base", "skill", "gear", "negative"]);
      for (const [role, one] of Object.entries(counts)) one.tell(snapshot.pool?.[role]);
      const costs = WITH_COSTS.has(snapshot.system);
      at("attribute-name").closest("label").hidden = !costs;
      at("facts").hidden = !costs;
      for (const [name] of FACTS) facts[name].tell(snapshot.context?.[name]);
      at("attribute-name").value = snapshot.context?.attribute_name ?? "";
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
  };
}
