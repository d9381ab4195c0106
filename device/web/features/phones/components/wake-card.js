// @ts-check
// Whether this phone wakes when its player's turn comes, and how: a tone, vibration, notifications.

import { t } from "../../../ui/lib/texts.js";
import { html, nothing } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { askForNotices, isWakeOn, keepWake, notices } from "../../../ui/lib/wake.js";

/** @param {() => void} draw */
export function wakeCard(draw) {
  const turn = () => {
    keepWake(!isWakeOn());
    draw();
  };
  const allow = async () => {
    await askForNotices();
    draw();
  };
  const state = notices();
  return html`<section class="card" aria-labelledby="wake-title" data-testid="wake">
    <h2 id="wake-title">${t("page.wake.title")}</h2>
    <div class="row"><button type="button" class="key switch" aria-pressed=${isWakeOn()} data-testid="wake-switch" @click=${turn}>${t("page.wake.switch")}</button>${state === "default" ? html`<button type="button" class="tool" data-testid="wake-allow" @click=${allow}>${t("page.wake.allow")}</button>` : nothing}</div>
    <p class="quiet" data-testid="wake-notices">${t(`page.wake.${state}`)}</p>
  </section>`;
}
