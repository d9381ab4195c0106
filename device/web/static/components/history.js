// Earlier rolls, newest first; a corrected die shows what was read and what a person said.

import { bodyHex, html, inkHex } from "../lib/drawing.js";
import { language, maybe, t } from "../lib/texts.js";
import { capital, headlineWord, ruleWord } from "../lib/words.js";

function time(at) {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? String(at ?? "") : moment.toLocaleTimeString(language === "en" ? [] : language, { hour: "2-digit", minute: "2-digit" });
}

function miniDie(die, colours) {
  const changed = ("read_value" in die && die.read_value !== die.value) || ("read_colour" in die && die.read_colour !== die.colour);
  const node = html("span", { class: "mini", title: `${die.colour ? ruleWord(die.colour) : t("page.die.unknown")} ${die.value ?? "?"}` });
  node.style.setProperty("--body", bodyHex(die.colour, colours));
  node.style.setProperty("--ink", inkHex(die.colour, colours));
  if (changed) node.append(html("s", {}, String(die.read_value ?? "?")));
  node.append(String(die.value ?? "?"));
  if (changed) node.classList.add("changed");
  return node;
}

function row(entry, colours) {
  const outcome = entry.outcome ?? {};
  const number = outcome.headline?.value ?? outcome.successes ?? "–";
  const word = outcome.headline ? headlineWord(outcome.headline) : "";
  const extra = [outcome.trauma > 0 ? t("page.row.trauma", { count: outcome.trauma, kind: ruleWord(outcome.trauma_type ?? "trauma") }) : "", outcome.gear_damage > 0 ? t("page.cost.gear_damage", { count: outcome.gear_damage }) : ""];
  const kind = maybe(`page.row.${entry.kind}`) ?? capital(String(entry.kind ?? ""));
  const note = [kind, ...extra.filter(Boolean)].filter(Boolean).join(" · ");
  return html(
    "li",
    { class: "history-row", "data-testid": "history-row", "data-roll-id": entry.id, "data-kind": entry.kind },
    html("span", { class: "history-number", title: word }, String(number)),
    html("span", { class: "history-dice" }, ...(entry.dice ?? []).map((die) => miniDie(die, colours))),
    html("span", { class: "history-note" }, note),
    html("time", { datetime: entry.at ?? "" }, time(entry.at)),
  );
}

export function renderHistory(place, rows, colours) {
  if (!rows.length) {
    place.replaceChildren(html("li", { class: "quiet" }, t("page.row.none")));
    return;
  }
  place.replaceChildren(...rows.map((entry) => row(entry, colours)));
}
