// @ts-check
// Every tray of a club on one page, or with ?tray=ID one tray's results, large enough for a distant table.

import { byId, element } from "../../ui/lib/dom.js";
import { Club, counted, diceLine, kindWords, whose } from "./lib/club.js";
import { timeWords } from "../../ui/lib/moments.js";
import { maybe, spoken, t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";

/** @import { ClubRoll, ClubTray } from "./lib/club.js" */

const SILENT_MS = 13000;
const AGAIN_MS = 3000;

const root = byId("club");
const connection = element(html`<p id="connection" class="quiet" role="status"></p>`);
document.querySelector(".bar")?.append(connection);
const club = new Club();
const chosen = new URL(location.href).searchParams.get("tray");
/** @type {"connecting" | "heard" | "lost" | "off"} */
let link = "connecting";
/** Why the broker sends nothing. @type {string | null} */
let fault = null;
/** @type {ReturnType<typeof setTimeout>} */
let silence;

/** @param {ClubTray} tray */
const stateOf = (tray) =>
  tray.available ? (maybe(`page.state.${tray.state}`) ?? t("page.club.here")) : t("page.club.away");

/** @param {ClubRoll} roll */
function rollLine(roll) {
  return html`<li data-roll=${roll.id}><time>${timeWords(roll.time ?? "")}</time> <b>${whose(roll)}</b> <span class="counted">${counted(roll)}</span> <span class="quiet">${kindWords(roll.kind)} ${diceLine(roll.dice)}</span></li>`;
}

/** @param {ClubTray} tray */
function card(tray) {
  const last = tray.rolls[0];
  const now = whose(tray);
  return html`<article class="tray" data-tray=${tray.id} data-available=${tray.available} data-state=${tray.state ?? ""}>
    <h2><a href=${`?tray=${encodeURIComponent(tray.id)}`}>${tray.name}</a></h2>
    <p class="now">${stateOf(tray)}${tray.system_title ? html` <span class="quiet">${tray.system_title}</span>` : nothing}</p>
    ${tray.fault ? html`<p class="fault">${tray.fault}</p>` : nothing}
    ${now ? html`<p class="whose">${t("page.club.turn", { who: now })}</p>` : nothing}
    ${
      last
        ? html`<p class="last"><span class="counted">${counted(last)}</span> <b>${whose(last)}</b></p><p class="quiet">${[timeWords(last.time ?? ""), kindWords(last.kind), diceLine(last.dice)].filter(Boolean).join(" · ")}</p>`
        : html`<p class="quiet">${t("page.club.no_roll")}</p>`
    }
  </article>`;
}

/** @param {ClubTray} tray */
function far(tray) {
  const last = tray.rolls[0];
  return html`<section class="far" data-far=${tray.id} data-available=${tray.available}>
    <p><a href="?">${t("page.club.all")}</a></p>
    <h2>${tray.name} <small>${stateOf(tray)}</small></h2>
    ${last ? html`<p class="large" role="status"><b>${whose(last)}</b><span class="counted">${counted(last)}</span><span class="quiet">${[kindWords(last.kind), diceLine(last.dice)].filter(Boolean).join(" · ")}</span></p>` : html`<p class="quiet">${t("page.club.no_roll")}</p>`}
    <ol class="rolls">${tray.rolls.slice(1).map(rollLine)}</ol>
  </section>`;
}

function draw() {
  document.body.dataset.link = link;
  const trays = club.trays;
  const here = trays.filter((tray) => tray.available).length;
  connection.textContent =
    link === "off" ? "" : t(`page.club.${link === "heard" ? "count" : link}`, { count: trays.length, here });
  const one = chosen === null ? undefined : club.tray(chosen);
  if (link === "off") return render(html`<p>${t("page.club.off")}</p>`, root);
  const shown = one
    ? far(one)
    : trays.length
      ? html`<div class="trays">${trays.map(card)}</div>`
      : html`<p class="quiet">${t("page.club.none")}</p>`;
  render(html`${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}${shown}`, root);
}

/** @param {"connecting" | "heard" | "lost" | "off"} now */
function turn(now) {
  link = now;
  draw();
}

function heard() {
  clearTimeout(silence);
  silence = setTimeout(open, SILENT_MS);
  if (link !== "heard") turn("heard");
}

/** @type {EventSource | undefined} */
let source;

function open() {
  source?.close();
  clearTimeout(silence);
  if (link === "heard") turn("lost");
  const mine = (source = new EventSource(spoken("/api/club/events")));
  /** @type {(kind: string, take: (news: any) => void) => void} */
  const on = (kind, take) =>
    mine.addEventListener(kind, (event) => {
      take(JSON.parse(event.data));
      heard();
      draw();
    });
  on("all", (trays) => club.all(trays));
  on("some", (trays) => club.some(trays));
  on("beat", (beat) => (fault = beat.fault));
  mine.addEventListener("error", async () => {
    if (mine !== source) return;
    turn("lost");
    if (mine.readyState !== EventSource.CLOSED) return;
    silence = setTimeout(start, AGAIN_MS);
  });
}

// While the club is off its stream is not asked for: browsers log each refusal.
async function start() {
  const answer = await fetch(spoken("/api/club?quiet=true")).catch(() => null);
  if (answer?.status !== 204) return open();
  turn("off");
  silence = setTimeout(start, AGAIN_MS);
}

draw();
start();
