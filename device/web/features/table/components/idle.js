// @ts-check
// The idle screen: time, last rolls, shared clocks, next player, and the code for phones. It appears after some minutes
// without a touch over an empty tray, and goes at the first touch, key, motion or new roll.

import { ask } from "../../../ui/lib/api.js";
import { element } from "../../../ui/lib/dom.js";
import { idleMinutes, isAtRest, placeAt, rollWords, stirring } from "../lib/idle.js";
import { dayWords, timeWords } from "../../../ui/lib/moments.js";
import { t } from "../../../ui/lib/texts.js";
import { html, nothing, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { clockList } from "./clocks-now.js";
import { byRoll } from "../../../ui/components/history.js";
import { learnPhones, letInButton } from "../../../ui/components/let-in.js";
import { say } from "../../../ui/components/page.js";

/** @import { HistoryRow, Phones, Snapshot } from "../../../ui/lib/types.js" */

const MINUTE_MS = 60_000;
const PHONES_MS = 5000;
const ROLLS = 5;
// Rows of the log that contain that many rolls, since a pushed or corrected roll has several.
const ROWS = 40;

/** @param {() => Snapshot | undefined} latest */
export function idleScreen(latest) {
  const byAddress = idleMinutes(location.search, () => sessionStorage);
  const afterMs = () => (byAddress ?? latest()?.idle_min ?? 5) * MINUTE_MS;
  /** @type {HTMLDialogElement} */
  const screen = element(
    html`<dialog id="idle" class="idle" aria-label=${t("page.idle.title")} data-testid="idle"></dialog>`,
  );
  document.body.append(screen);
  const motion = matchMedia("(prefers-reduced-motion: no-preference)");
  let touched = performance.now();
  const first = latest();
  let stir = first ? stirring(first) : "";
  let minute = 0;
  /** @type {HistoryRow[]} */
  let rolls = [];
  /** @type {Phones | null} */
  let phones = null;

  function draw() {
    const now = new Date();
    const snapshot = /** @type {Snapshot} */ (latest());
    const clocks = snapshot.clocks?.clocks ?? [];
    const next = snapshot.asked ?? snapshot.asked_next?.[0];
    const [across, down] = motion.matches ? placeAt(minute) : placeAt(0);
    screen.style.setProperty("--across", String(across));
    screen.style.setProperty("--down", String(down));
    const lines = rolls
      .map(rollWords)
      .map(([what, result]) => html`<li data-testid="idle-roll"><span>${what}</span> <b>${result}</b></li>`);
    const code =
      phones?.asked && phones.address
        ? html`<figure class="idle-code"><img src="/api/phones/qr.svg?of=${encodeURIComponent(`${phones.pins?.player} ${phones.address}`)}" alt=${t("page.phones.code")} width="150" height="150" data-testid="idle-code"><figcaption>${t("page.idle.phones")} <span data-testid="idle-address">${phones.address_by_name ?? phones.address}</span></figcaption></figure>`
        : phones?.open === false
          ? html`<div data-presses>${letInButton(phones, say, (latest) => ((phones = latest), draw()))}</div>`
          : nothing;
    render(
      html`<div class="idle-page">
        <h1 class="idle-time" data-testid="idle-time">${timeWords(now)}</h1>
        <p class="idle-day">${dayWords(now, { weekday: "long", day: "numeric", month: "long" })}</p>
        ${next ? html`<p class="idle-next" data-testid="idle-next">${t("page.turn.next", { roll: next.text })}</p>` : nothing}
        <div class="idle-row">
          ${rolls.length ? html`<ol class="idle-rolls" aria-label=${t("page.table.earlier_newest")}>${lines}</ol>` : nothing}
          ${code}
        </div>
        ${clocks.length ? html`<div class="idle-clocks" data-testid="idle-clocks">${clockList(clocks)}</div>` : nothing}
        <button type="button" class="tool idle-end" autofocus>${t("page.idle.end")}</button>
      </div>`,
      screen,
    );
  }

  async function begin() {
    // Callers that may not see the PIN get no code.
    const [rows] = await Promise.all([ask("GET", `/api/rolls?limit=${ROWS}`), hearPhones()]);
    rolls = rows.ok ? byRoll(rows.snapshot.rolls).slice(0, ROLLS) : [];
    // There may have been a touch meanwhile.
    if (!isDue()) return;
    draw();
    screen.showModal();
  }

  const isDue = () =>
    afterMs() > 0 &&
    !screen.open &&
    !document.hidden &&
    isAtRest(latest()) &&
    !document.querySelector("dialog[open]") &&
    document.body.dataset.lost !== "true" &&
    performance.now() - touched >= afterMs();

  function end() {
    touched = performance.now();
    screen.close();
  }

  /** @param {Event} event */
  function touch(event) {
    touched = performance.now();
    if (
      !screen.open ||
      document.querySelector("dialog.panel[open]") ||
      (event.target instanceof Element && event.target.closest("[data-presses]"))
    )
      return;
    // The touch that ends it must not press anything under it.
    event.preventDefault();
    event.stopImmediatePropagation();
    end();
  }
  // A tap ends with its click: only after that does nothing reach what is below.
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, touch, { capture: true });
  document.addEventListener("pointerdown", () => (touched = performance.now()), { capture: true });

  // The address changes with the network.
  async function hearPhones() {
    phones = await learnPhones();
    if (screen.open) draw();
  }

  function beat() {
    minute += 1;
    if (screen.open && document.body.dataset.lost === "true") end();
    if (screen.open) draw();
  }
  setInterval(beat, MINUTE_MS);
  setInterval(() => screen.open && hearPhones(), PHONES_MS);
  // Short times, as tests set, are checked more often.
  function watch() {
    if (isDue()) begin();
    setTimeout(watch, Math.min(Math.max(afterMs() / 20, 250), 5000));
  }
  watch();

  return {
    /** @param {Snapshot} snapshot */
    hear(snapshot) {
      const now = stirring(snapshot);
      if (now !== stir) {
        stir = now;
        end();
      } else if (screen.open) draw();
    },
  };
}
