// @ts-check
// Statistics: fairness of the dice, luck, and what pushing brings. Each plot has a table with its numbers.

import { ask } from "../../ui/lib/api.js";
import { byId, element } from "../../ui/lib/dom.js";
import { bodyHex } from "../../ui/lib/drawing.js";
import { byVersion, newest } from "../../ui/lib/newest.js";
import { coursesAsColumns, queryOf } from "./lib/remembered.js";
import { language, t } from "../../ui/lib/texts.js";
import { html, nothing, render } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { follow, send } from "../../ui/components/page.js";
import { letGo, PALETTE, plot } from "./components/plot.js";
import { searchFields } from "./components/search-fields.js";
import { faceWord, plainWord, ruleWord } from "../../ui/lib/words.js";

/** @import { ContestTally, Snapshot, Statistics, FacesSummary, LuckSummary, PushSummary } from "../../ui/lib/types.js" */

const ENDS = ["saved", "better", "nothing"];
/** Colours of a push's outcomes, readable on light and dark, distinct by lightness alone. */
const END_HEX = ["#2f6bd0", "#7aa7f0", "#9aa0a8"];

/** @type {Snapshot | null} */
let snapshot = null;

const fields = searchFields(() => find());
const body = element(html`<div></div>`);
render(
  html`<details class="card search-card"><summary>${t("page.statistics.of")}</summary>${fields.evening}${fields.form}</details>
    ${body}`,
  byId("statistics"),
);

/** @param {number} value */
const number = (value) => value.toLocaleString(language, { maximumFractionDigits: 1 });
/** @param {string | null} name */
const player = (name) => name ?? t("page.statistics.nobody");

/**
 * What the figures say, and the figures for those who want them.
 * @param {{ name: string, text: string, verdict?: string }[]} sentences
 * @param {unknown} figures
 */
const told = (sentences, figures) =>
  html`${sentences.map(({ name, text, verdict }) => html`<p class="verdict" data-verdict=${verdict ?? ""}><b>${name}</b>: ${text}</p>`)}
    <details class="more"><summary>${t("page.statistics.figures")}</summary>${figures}</details>`;

/** @param {string} key @param {unknown} inside */
const card = (key, inside) => html`<section class="card" aria-label=${t(key)}><h2>${t(key)}</h2>${inside}</section>`;

/**
 * Numbers of each player; on a narrow screen they scroll.
 * @param {string} key
 * @param {unknown} heads
 * @param {unknown} rows
 */
const table = (key, heads, rows) =>
  html`<div class="wide" role="group" tabindex="0" aria-label=${t("page.statistics.numbers")}><table class="numbers rows"><caption class="unseen">${t(key)}</caption>
    <thead><tr><th scope="col">${t("page.statistics.player")}</th>${heads}</tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`;

/** @param {string} name */
const head = (name) => html`<th scope="col">${t(`page.statistics.${name}`)}</th>`;

/** @param {FacesSummary} one */
function diceWords({ colour: name, faces, times }) {
  const colour = snapshot?.colours?.[name];
  const kinds = faces.map((face, place) => (times[place] > 1 ? `${times[place]} × ${faceWord(face)}` : faceWord(face)));
  const which = t(colour ? "page.statistics.dice_of" : "page.statistics.dice", {
    colour: plainWord(name),
    body: colour ? ruleWord(colour) : "",
  });
  return faces.length < 6 ? `${which}: ${kinds.join(", ")}` : which;
}

/** @param {FacesSummary} one */
function facesOf(one) {
  const faces = one.faces.map(faceWord);
  const words = diceWords(one);
  const title = t("page.statistics.faces_plot", { colour: words });
  // One line where all faces are as likely; else each has its own number.
  const isEven = new Set(one.times).size === 1;
  return html`<article class="fact" data-testid="faces" data-colour=${one.colour}>
    <h3>${words}</h3>
    ${plot("bars", { title, x: faces.map((_, place) => place + 1), ticks: faces, series: [{ name: t("page.statistics.times"), values: one.counts, colour: bodyHex(one.colour, snapshot?.colours) }], ...(isEven && { expected: one.expected[0] }) })}
    <table class="numbers"><caption class="unseen">${title}</caption>
      <thead><tr><th scope="col">${t("page.statistics.face")}</th>${faces.map((face) => html`<th scope="col">${face}</th>`)}</tr></thead>
      <tbody><tr><th scope="row">${t("page.statistics.times")}</th>${one.counts.map((count) => html`<td>${count}</td>`)}</tr>
        <tr><th scope="row">${t("page.statistics.usual")}</th>${one.expected.map((mean) => html`<td>${number(mean)}</td>`)}</tr></tbody>
    </table>
    <p class="quiet">${one.test}</p>
  </article>`;
}

/** @param {LuckSummary[]} luck */
function luckOf(luck) {
  if (luck.length === 0) return html`<p class="quiet">${t("page.statistics.no_luck")}</p>`;
  const columns = coursesAsColumns(luck.map((one) => one.course));
  const series = luck.map((one, place) => ({
    name: player(one.player),
    values: columns[place + 1],
    colour: PALETTE[place % PALETTE.length],
  }));
  const figures = html`<p class="quiet">${t("page.statistics.luck_text")} ${t("page.statistics.luck_many", { count: luck.length })}</p>
    <h3>${t("page.statistics.luck_plot")}</h3>
    ${plot("lines", { title: t("page.statistics.luck_plot"), x: columns[0], series, expected: 0 })}
    <ul data-testid="luck">${series.map(({ name, colour }) => html`<li><span class="key-mark" .style=${`--mark: ${colour}`}></span>${name}</li>`)}</ul>`;
  return told(
    luck.map((one) => ({ name: player(one.player), text: one.text })),
    figures,
  );
}

/** @param {PushSummary[]} pushes */
function pushesOf(pushes) {
  if (pushes.length === 0) return html`<p class="quiet">${t("page.statistics.no_pushes")}</p>`;
  const series = ENDS.map((end, place) => ({
    name: t(`page.statistics.${end}`),
    values: pushes.map((one) => one.ends[end] ?? 0),
    colour: END_HEX[place],
  }));
  const cost = (/** @type {PushSummary} */ one) =>
    one.harm.map((harm) => `${harm.count} ${harm.title}`).join(", ") || "–";
  const heads = html`${head("pushed")}${ENDS.map((end, place) => html`<th scope="col" class="wraps"><span class="key-mark" .style=${`--mark: ${END_HEX[place]}`}></span>${t(`page.statistics.${end}`)}</th>`)}<th scope="col" class="ended">${t("page.statistics.cost")}</th>`;
  const rows = pushes.map(
    (one) =>
      html`<tr data-testid="pushes"><th scope="row">${player(one.player)}</th><td>${one.pushes}</td><td>${one.ends.saved}${one.could_save > 0 ? html`<small>${t("page.statistics.by_chance", { expected: number(one.expected_saved), count: one.could_save })}</small>` : nothing}</td><td>${one.ends.better}</td><td>${one.ends.nothing}</td><td class="ended">${cost(one)}</td></tr>`,
  );
  const figures = html`<h3>${t("page.statistics.pushes_plot")}</h3>
    ${plot("bars", { title: t("page.statistics.pushes_plot"), x: pushes.map((_, place) => place), ticks: pushes.map((one) => player(one.player)), series, isStacked: true })}
    ${table("page.statistics.pushes", heads, rows)}`;
  return told(
    pushes.map((one) => ({ name: player(one.player), text: one.text })),
    figures,
  );
}

/** @param {ContestTally[]} contests */
function contestsOf(contests) {
  const heads = ["contested", "contest_won", "contest_drawn", "contest_lost"].map(head);
  const rows = contests.map(
    ({ player: name, won, drawn, lost }) =>
      html`<tr data-testid="contests"><th scope="row">${name}</th><td>${won + drawn + lost}</td><td>${won}</td><td>${drawn}</td><td>${lost}</td></tr>`,
  );
  return rows.length ? card("page.statistics.contests", table("page.statistics.contests", heads, rows)) : nothing;
}

/** @param {FacesSummary[]} all @param {string | null} note */
function fairness(all, note) {
  if (!all.length) return html`<p class="quiet">${t("page.statistics.no_faces")}</p>`;
  return told(
    all.map((one) => ({ name: diceWords(one), text: one.text, verdict: one.verdict })),
    html`<div class="facts">${all.map(facesOf)}</div><p class="quiet">${note}</p>`,
  );
}

/** @param {Statistics} all */
function draw({ rolls, faces, faces_note: note, luck, pushes, contests }) {
  render(
    rolls === 0
      ? html`<section class="card"><p class="quiet" data-testid="no-rolls">${t("page.statistics.none")}</p></section>`
      : html`${card("page.statistics.faces", fairness(faces, note))}${card("page.statistics.luck", luckOf(luck))}${card("page.statistics.pushes", pushesOf(pushes))}${contestsOf(contests)}`,
    body,
  );
  letGo();
}

const newestStatistics = newest(() => send("GET", `/api/statistics${queryOf(fields.now())}`));
async function find() {
  const latest = await newestStatistics();
  if (latest) draw(latest);
}

const newestEvenings = byVersion(() => ask("GET", "/api/evenings"));
/** @param {string} version */
async function load(version) {
  const latest = await newestEvenings(version);
  if (!latest) return;
  fields.show({ ...latest, systems: snapshot?.systems ?? [] });
  await find();
}

follow((latest, isFirst) => {
  snapshot = latest;
  // Rolls since the page was opened count once they are over.
  if (isFirst || !latest.outcome) load(`${latest.log_revision} ${Boolean(latest.outcome)}`);
});
