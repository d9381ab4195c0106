// The stream overlay: result, consequences and dice on a transparent page; nothing to tap.

import { listen } from "../lib/api.js";
import { renderDice } from "../components/dice-list.js";
import { html } from "../lib/drawing.js";
import { consequences, headline, headlineWord } from "../lib/words.js";

const at = (id) => document.getElementById(id);

function render(snapshot) {
  const { outcome, state } = snapshot;
  at("plate").hidden = state === "empty";
  at("state").textContent = state;
  document.body.dataset.state = state;
  document.body.dataset.outcome = outcome ? (outcome.success === true ? "success" : "other") : "none";
  at("number").hidden = !outcome;
  at("successes").textContent = outcome ? outcome.headline?.value ?? outcome.successes ?? "" : "";
  at("word").textContent = outcome?.headline ? headlineWord(outcome.headline) : "";
  at("headline").textContent = headline(snapshot)[0];
  at("consequences").replaceChildren(...consequences(snapshot).map(([kind, text]) => html("li", { class: `consequence ${kind}` }, text)));
  renderDice(at("dice"), snapshot, () => {});
}

listen(render, (lost) => {
  // An old result must not stay on a stream after the tray has gone.
  if (lost) at("plate").hidden = true;
});
