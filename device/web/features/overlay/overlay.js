// @ts-check
// The stream overlay: result, consequences and dice on a transparent page, without buttons. Its URL has the options.

import { listen } from "../../ui/lib/api.js";
import { renderDice } from "../../ui/components/dice-list.js";
import { byId as at } from "../../ui/lib/dom.js";
import { fittingSize, isShown, overlayOptions } from "./lib/overlay-options.js";
import { t } from "../../ui/lib/texts.js";
import { html, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { headlineWord } from "../../ui/lib/words.js";

/** @import { Snapshot } from "../../ui/lib/types.js" */

const { options, wrong } = overlayOptions(location.search);
document.body.dataset.corner = options.corner;
at("wrong").textContent = wrong;
at("wrong").hidden = !wrong;

function fit() {
  document.body.style.setProperty("--size", String(fittingSize(options, innerWidth)));
}
addEventListener("resize", fit);
fit();

/** @param {Snapshot} snapshot */
function show(snapshot) {
  const { asked: request, outcome, state } = snapshot;
  const { title } = snapshot.display;
  at("plate").hidden = !isShown(snapshot, options);
  at("state").textContent = state;
  document.body.dataset.state = state;
  document.body.dataset.outcome = outcome ? (outcome.success === true ? "success" : "other") : "none";
  at("number").hidden = !outcome;
  at("successes").textContent = String(outcome ? (outcome.headline?.value ?? outcome.successes ?? "") : "");
  at("word").textContent = outcome?.headline ? headlineWord(outcome.headline) : "";
  at("headline").textContent =
    options.hasName && request?.owner ? t("page.turn.asked", { owner: request.owner, label: title }) : title;
  render(
    (snapshot.lines ?? []).map(({ kind, text }) => html`<li class="consequence ${kind}">${text}</li>`),
    at("consequences"),
  );
  renderDice(at("dice"), snapshot, () => {});
}

listen(show, (lost) => {
  // An old result must not stay on a stream after the tray is lost.
  if (lost) at("plate").hidden = true;
});
