// Clocks that the whole table shares: drawn in segments, ticked with a tap, taken back with one.

import { html, isNews, svg } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { choiceKeys } from "./fields.js";
import { confirmed } from "./dialog.js";

const SIZES = [4, 6, 8];
const RADIUS = 44;
const GAP_RAD = 0.05;

function segmentPath(index, count) {
  const from = (index / count) * 2 * Math.PI - Math.PI / 2 + GAP_RAD / 2;
  const to = ((index + 1) / count) * 2 * Math.PI - Math.PI / 2 - GAP_RAD / 2;
  const spot = (angle, radius) => `${(50 + radius * Math.cos(angle)).toFixed(2)} ${(50 + radius * Math.sin(angle)).toFixed(2)}`;
  return `M${spot((from + to) / 2, 2)} L${spot(from, RADIUS)} A${RADIUS} ${RADIUS} 0 0 1 ${spot(to, RADIUS)} Z`;
}

export function clockFace(clock) {
  const face = svg("svg", { viewBox: "0 0 100 100", class: "clock-face", "aria-hidden": "true" });
  for (let index = 0; index < clock.segments; index += 1) face.append(svg("path", { d: segmentPath(index, clock.segments), class: index < clock.filled ? "segment full" : "segment" }));
  return face;
}

export function clocksPanel(book) {
  const list = html("div", { class: "clocks", "data-testid": "clocks" });
  const undo = html("button", { type: "button", class: "tool", "data-testid": "undo-clock" }, t("page.undo"));
  const name = html("input", { type: "text", maxlength: 80, autocomplete: "off", placeholder: t("page.clock.name"), "aria-label": t("page.clock.name") });
  const bond = html("select", { "aria-label": t("page.clock.bound") });
  const add = html("button", { type: "button", class: "tool go", "data-testid": "add-clock" }, t("page.clock.add"));
  let segments = SIZES[0];
  const sizes = choiceKeys(t("page.clock.segments"), SIZES.map((size) => ({ value: size, text: String(size) })), { value: segments, optional: false, onPick: (size) => (segments = size) });
  let told = { clocks: [], undo: null, last: null };

  async function send(method, path, body) {
    const answer = await book.wish(method, path, body);
    if (answer) show(answer);
  }

  function row(clock) {
    const others = (id) => told.clocks.find((one) => one.id === id)?.name;
    const bonds = [clock.locked ? t("page.clock.waits") : "", others(clock.linked_to) ? t("page.clock.then", { name: others(clock.linked_to) }) : "", others(clock.opposed_to) ? t("page.clock.against", { name: others(clock.opposed_to) }) : ""].filter(Boolean).join(", ");
    const full = clock.filled >= clock.segments;
    const tick = html("button", { type: "button", class: "clock-tick", "data-clock": clock.id, disabled: clock.locked || full, "aria-label": t("page.clock.tick", clock) }, clockFace(clock));
    const less = html("button", { type: "button", class: "step", "aria-label": t("page.clock.less", clock), disabled: clock.filled <= 0 }, "−");
    const more = html("button", { type: "button", class: "step", "aria-label": t("page.clock.more", clock), disabled: clock.locked || full }, "+");
    const away = html("button", { type: "button", class: "step away", "aria-label": t("page.clock.away", clock) }, "×");
    const by = (ticks) => () => send("POST", `/api/clocks/${clock.id}/tick`, { ticks });
    tick.addEventListener("click", by(1));
    more.addEventListener("click", by(1));
    less.addEventListener("click", by(-1));
    away.addEventListener("click", async () => {
      if (await confirmed(t("page.clock.ask_away", clock), t("page.clock.yes_away"))) send("DELETE", `/api/clocks/${clock.id}`);
    });
    const words = html("div", { class: "clock-words" }, html("b", {}, clock.name), html("span", {}, full ? t("page.clock.full") : t("page.clock.filled", clock)), html("small", {}, bonds));
    return html("article", { class: full ? "clock full" : "clock", "data-testid": "clock", "data-clock-id": clock.id, "data-filled": clock.filled }, tick, words, html("div", { class: "clock-keys" }, less, more, away));
  }

  function show(latest) {
    told = latest;
    undo.disabled = !told.undo;
    undo.textContent = told.undo ? t("page.undo_what", { what: told.undo }) : t("page.undo");
    if (!isNews(list, told)) return;
    list.replaceChildren(...(told.clocks.length ? told.clocks.map(row) : [html("p", { class: "quiet" }, t("page.clock.none"))]));
    const bonds = told.clocks.flatMap((clock) => [[`linked_to:${clock.id}`, t("page.clock.before", clock)], [`opposed_to:${clock.id}`, t("page.clock.races", clock)]]);
    bond.replaceChildren(html("option", { value: "" }, t("page.clock.alone")), ...bonds.map(([value, text]) => html("option", { value }, text)));
    bond.hidden = !bonds.length;
  }

  undo.addEventListener("click", () => send("POST", "/api/clocks/undo"));
  add.addEventListener("click", async () => {
    const [kind, id] = bond.value.split(":");
    const answer = await book.wish("POST", "/api/clocks", { name: name.value.trim() || t("page.clock.unnamed"), segments, ...(kind ? { [kind]: Number(id) } : {}) });
    if (!answer) return;
    name.value = "";
    show(answer);
  });
  show(told);

  return {
    node: html("div", { class: "clocks-panel" }, list, html("div", { class: "new-clock" }, name, sizes.node, bond, add, undo)),
    update(snapshot) {
      if (snapshot.clocks) show(snapshot.clocks);
    },
  };
}
