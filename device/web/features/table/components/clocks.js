// @ts-check
// Clocks shared by the table: drawn in segments, ticked and undone with a tap.

import { element } from "../../../ui/lib/dom.js";
import { t } from "../../../ui/lib/texts.js";
import { repeat } from "../../../ui/lib/vendor/lit-html/directives/repeat.js";
import { html, render } from "../../../ui/lib/vendor/lit-html/lit-html.js";
import { clockFace, clockWords } from "./clocks-now.js";
import { choiceKeys } from "../../../ui/components/fields.js";

/** @import { Book, Clock, Clocks, Snapshot } from "../../../ui/lib/types.js" */

const SIZES = [4, 6, 8];
/** @param {Book} book */
export function clocksPanel(book) {
  let segments = SIZES[0];
  const sizes = choiceKeys(
    t("page.clock.segments"),
    SIZES.map((size) => ({ value: size, text: String(size) })),
    { value: segments, optional: false, onPick: (size) => (segments = size) },
  );
  /** @type {Clocks} */
  let rack = { clocks: [], undo: null, last: null };
  const node = element(html`<div class="clocks-panel"></div>`);

  /** @type {(method: string, path: string, body?: object) => Promise<unknown>} */
  async function send(method, path, body) {
    const answer = await book.send(method, path, body);
    if (answer) show(answer);
    return answer;
  }

  async function add() {
    const name = /** @type {HTMLInputElement} */ (node.querySelector("input"));
    const bond = /** @type {HTMLSelectElement} */ (node.querySelector("select"));
    const [kind, id] = bond.value.split(":");
    const bound = kind ? { [kind]: Number(id) } : {};
    if (await send("POST", "/api/clocks", { name: name.value.trim() || t("page.clock.unnamed"), segments, ...bound }))
      name.value = bond.value = "";
  }

  /** @param {Clock} clock */
  function row(clock) {
    /** @param {number | null} id */
    const nameOf = (id) => rack.clocks.find((one) => one.id === id)?.name;
    const [next, rival] = [nameOf(clock.linked_to), nameOf(clock.opposed_to)];
    const bonds = [
      ...(clock.locked ? [t("page.clock.waits")] : []),
      ...(next ? [t("page.clock.then", { name: next })] : []),
      ...(rival ? [t("page.clock.against", { name: rival })] : []),
    ];
    const isFull = clock.filled >= clock.segments;
    /** @param {number} ticks */
    const by = (ticks) => () => send("POST", `/api/clocks/${clock.id}/tick`, { ticks });
    return html`<article class=${isFull ? "clock full" : "clock"} data-testid="clock" data-clock-id=${clock.id} data-filled=${clock.filled}>
      <button type="button" class="clock-tick" data-clock=${clock.id} ?disabled=${clock.locked || isFull} aria-label=${t("page.clock.tick", clock)} @click=${by(1)}>${clockFace(clock)}</button>
      <div class="clock-words"><b>${clock.name}</b><span>${clockWords(clock)}</span><small>${bonds.join(", ")}</small></div>
      <div class="clock-keys">
        <button type="button" class="step" aria-label=${t("page.clock.less", clock)} ?disabled=${clock.filled <= 0} @click=${by(-1)}>−</button>
        <button type="button" class="step" aria-label=${t("page.clock.more", clock)} ?disabled=${clock.locked || isFull} @click=${by(1)}>+</button>
        <button type="button" class="step away" aria-label=${t("page.clock.away", clock)} @click=${() => send("DELETE", `/api/clocks/${clock.id}`)}>×</button>
      </div>
    </article>`;
  }

  /** @param {Clocks} latest */
  function show(latest) {
    rack = latest;
    const bonds = rack.clocks.flatMap((clock) => [
      [`linked_to:${clock.id}`, t("page.clock.before", clock)],
      [`opposed_to:${clock.id}`, t("page.clock.races", clock)],
    ]);
    render(
      html`<div class="clocks" data-testid="clocks">${rack.clocks.length ? repeat(rack.clocks, (clock) => clock.id, row) : html`<p class="quiet">${t("page.clock.none")}</p>`}</div>
        <div class="new-clock">
          <input type="text" maxlength="80" autocomplete="off" placeholder=${t("page.clock.name")} aria-label=${t("page.clock.name")}>
          ${sizes.node}
          <select aria-label=${t("page.clock.bound")} ?hidden=${!bonds.length}><option value="">${t("page.clock.alone")}</option>${repeat(
            bonds,
            ([value]) => value,
            ([value, text]) => html`<option value=${value}>${text}</option>`,
          )}</select>
          <button type="button" class="tool go" data-testid="add-clock" @click=${add}>${t("page.clock.add")}</button>
          <button type="button" class="tool" data-testid="undo-clock" ?disabled=${!rack.undo} @click=${() => send("POST", "/api/clocks/undo")}>${rack.undo ? t("page.undo_what", { what: rack.undo }) : t("page.undo")}</button>
        </div>`,
      node,
    );
  }
  show(rack);

  return {
    node,
    /** @param {Snapshot} snapshot */
    update(snapshot) {
      if (snapshot.clocks) show(snapshot.clocks);
    },
  };
}
