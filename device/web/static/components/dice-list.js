// The dice as a list, grouped by what is to be done with them; tap one to correct it.

import { bodyHex, html, icon, inkHex, isNews, svg } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { diceOf, kindOf, ruleWord, unreadWords } from "../lib/words.js";

// The groups in order, each with its sign; where the second state holds its title is another one.
const GROUPS = {
  wrong: { icon: "wrong" },
  unread: { icon: "unread" },
  reroll: { icon: "reroll", now: "awaiting_push" },
  stay: { icon: "stay", now: "awaiting_push" },
  picked: { icon: "final" },
  final: { icon: "final", now: "resolved" },
};

function groupTitle(kind, state) {
  return t(GROUPS[kind].now === state ? `page.group.${kind}_now` : `page.group.${kind}`);
}

export function dieFace(die, colours) {
  const face = svg("svg", { viewBox: "0 0 64 64", class: "face", "aria-hidden": "true" });
  face.append(svg("rect", { x: 7, y: 7, width: 50, height: 50, rx: 11, fill: bodyHex(die.colour, colours), class: "face-body" }));
  const ink = die.colour ? inkHex(die.colour, colours) : "#17191c";
  const text = svg("text", { x: 32, y: 46, "text-anchor": "middle", fill: ink, class: "face-value" });
  text.textContent = die.value ?? "?";
  face.append(text);
  return face;
}

function chip(die, snapshot, kind, onTap) {
  // A die that was thrown again and adds up shows its earlier faces too.
  const sum = die.earlier?.length ? ` ${[...die.earlier, die.value ?? "?"].join(" + ")}` : "";
  const name = die.role ?? die.colour;
  const word = `${name ? ruleWord(name) : t("page.chip.colour")}${sum}`;
  // Its name begins with what stands on it, so that whoever speaks to the page can call it by that.
  const words = [`${die.value ?? "?"} ${word}`, kind === "final" ? "" : t(`page.chip.${kind}`), kind === "unread" ? unreadWords(die) : "", die.corrected ? t("page.chip.by_hand") : ""];
  const node = html("button", {
    type: "button",
    class: `chip kind-${kind}`,
    "data-testid": "die",
    "data-die-id": die.id,
    "data-earlier": die.earlier?.length || null,
    "data-colour": die.colour ?? "",
    "data-value": die.value ?? "",
    "data-locked": String(Boolean(die.locked)),
    "data-must-reroll": String(Boolean(die.must_reroll)),
    "data-corrected": String(Boolean(die.corrected)),
    "data-wrong": String(Boolean(die.wrong)),
    "aria-label": t("page.chip.tap", { words: words.filter(Boolean).join(", ") }),
  });
  node.append(dieFace(die, snapshot.colours));
  if (kind !== "final" && kind !== "picked") node.append(html("span", { class: "badge" }, icon(kind)));
  if (die.corrected) node.append(html("span", { class: "badge by-hand" }, icon("corrected")));
  node.append(" ", html("span", { class: "class" }, word));
  node.addEventListener("click", () => onTap(die.id));
  return node;
}

// Class by class as the palette names them, highest value first: easy to compare with what lies on the table.
function inOrder(dice, colours) {
  const names = Object.keys(colours ?? {});
  const place = (die) => (names.includes(die.colour) ? names.indexOf(die.colour) : names.length);
  return [...dice].sort((a, b) => place(a) - place(b) || (b.value ?? 0) - (a.value ?? 0) || a.id - b.id);
}

export function renderDice(place, snapshot, onTap) {
  if (!isNews(place, snapshot.state, snapshot.dice, snapshot.colours)) return;
  const focused = document.activeElement?.closest?.("[data-die-id]")?.dataset.dieId;
  const dice = inOrder(diceOf(snapshot), snapshot.colours);
  const groups = Object.keys(GROUPS).map((kind) => [kind, dice.filter((die) => kindOf(die, snapshot.state) === kind)]);
  const shown = groups.filter(([, members]) => members.length);
  place.replaceChildren(
    ...shown.map(([kind, members]) => {
      const title = groupTitle(kind, snapshot.state);
      const heading = html("h2", { class: `group-title kind-${kind}` }, icon(GROUPS[kind].icon), title);
      heading.append(html("span", { class: "count" }, String(members.length)));
      const row = html("div", { class: "chips", role: "group", "aria-label": t("page.group.label", { group: title, dice: t("page.dice", { count: members.length }) }) });
      row.append(...members.map((die) => chip(die, snapshot, kind, onTap)));
      return html("div", { class: `group kind-${kind}` }, heading, row);
    }),
  );
  place.dataset.count = String(dice.length);
  const longest = Math.max(0, ...shown.map(([, members]) => members.length));
  place.dataset.size = dice.length > 12 ? "many" : dice.length > 8 || longest > 7 ? "some" : "few";
  if (focused) place.querySelector(`[data-die-id="${CSS.escape(focused)}"]`)?.focus();
}
