// Dice that no camera reads: tap one, then tap what it shows.

import { html, isNews, svg } from "../lib/drawing.js";
import { t } from "../lib/texts.js";

// A die of more than six sides is drawn as the outline that people know it by.
const OUTLINES = {
  8: "M32 4 58 32 32 60 6 32z",
  10: "M32 4 59 27 50 44 32 60 14 44 5 27z",
  12: "M32 4 50 10 60 25 60 41 50 55 32 60 14 55 4 41 4 25 14 10z",
};

export function stepDieFace(die) {
  const face = svg("svg", { viewBox: "0 0 64 64", class: "step-die", "aria-hidden": "true" });
  face.append(svg("path", { d: OUTLINES[die.sides] ?? OUTLINES[12] }));
  const text = svg("text", { x: 32, y: 42, "text-anchor": "middle" });
  text.textContent = die.value ?? "?";
  face.append(text);
  return face;
}

export function typedDice(book) {
  const strip = html("section", { class: "strip typed", "aria-label": t("page.typed.strip"), hidden: true });
  const title = html("h2", { id: "typed-title" });
  const values = html("div", { class: "typed-values", role: "group", "aria-label": t("page.pad.values") });
  const remove = html("button", { type: "button", class: "tool" }, t("page.typed.away"));
  const close = html("button", { type: "button", class: "tool" }, t("page.close"));
  const dialog = html("dialog", { id: "typed-pad", class: "pad", "aria-labelledby": "typed-title" }, title, values, html("div", { class: "pad-end" }, remove, close));
  let snapshot = {};
  let open = null;

  const dice = () => snapshot.typed_dice ?? [];

  async function say(value) {
    const asked = open;
    const answer = asked.id === undefined ? await book.wish("POST", "/api/typed-dice", { level: asked.level, role: asked.role, value }) : await book.wishSeen("PATCH", `/api/typed-dice/${asked.id}`, { value });
    if (!answer) return;
    snapshot = answer;
    // The next one that is still to be tapped in, so that two dice need no more taps than they have to.
    const next = asked.id === undefined ? null : dice().find((die) => die.value === null);
    if (next) show(next);
    else dialog.close();
  }

  function show(die) {
    open = die;
    title.textContent = t("page.typed.asks", { die: `d${die.sides}`, level: die.level });
    dialog.dataset.sides = die.sides;
    dialog.dataset.die = die.id ?? "new";
    values.replaceChildren(
      ...Array.from({ length: die.sides }, (_, index) => {
        const key = html("button", { type: "button", class: "pad-key", "data-value": index + 1, "aria-pressed": String(die.value === index + 1) }, String(index + 1));
        key.addEventListener("click", () => say(index + 1));
        return key;
      }),
    );
    remove.hidden = die.id === undefined;
    if (!dialog.open) dialog.showModal();
  }

  remove.addEventListener("click", async () => {
    if (await book.wishSeen("DELETE", `/api/typed-dice/${open.id}`)) dialog.close();
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  function chip(die) {
    const ask = die.value === null ? t("page.typed.tap") : die.must_reroll ? t("page.typed.goes") : die.locked ? t("page.typed.stays") : "";
    const node = html("button", { type: "button", class: "typed-die", "data-testid": "typed-die", "data-typed-id": die.id, "data-level": die.level, "data-value": die.value ?? "", "data-locked": String(die.locked), "data-must-reroll": String(die.must_reroll), "aria-label": `${die.value ?? "?"} d${die.sides} ${ask}` }, stepDieFace(die), " ", html("span", {}, `d${die.sides}`, " ", html("small", {}, ask)));
    node.classList.toggle("wanted", die.value === null);
    node.addEventListener("click", () => show(dice().find((one) => one.id === die.id) ?? die));
    return node;
  }

  function draw() {
    const levels = book.tiles?.system === snapshot.system ? book.tiles?.typed_levels ?? [] : [];
    // Dice that a prepared roll has declared are enough; without one, any may be added.
    const mayAdd = levels.length && !dice().some((die) => die.declared) && ["empty", "scored", "unclear"].includes(snapshot.state);
    strip.hidden = !dice().length && !mayAdd;
    if (!isNews(strip, dice(), levels, mayAdd)) return;
    const adds = (mayAdd ? levels : []).map((level) => {
      const key = html("button", { type: "button", class: "key add-die", "data-level": level.level, "aria-label": t("page.typed.add", { die: `d${level.sides}` }) }, `+ d${level.sides}`);
      key.addEventListener("click", () => show({ level: level.level, sides: level.sides, value: null, role: snapshot.pool_roles?.[0] ?? "base" }));
      return key;
    });
    strip.replaceChildren(html("h2", {}, t("page.typed.strip")), html("div", { class: "typed-row" }, ...dice().map(chip), ...adds));
  }
  book.onNews(draw);

  return {
    strip,
    dialog,
    update(latest) {
      snapshot = latest;
      draw();
    },
    // A number key in an open pad; a one is a one, since ten and more need a tap anyway.
    press(value) {
      if (dialog.open && value <= Number(dialog.dataset.sides)) say(value);
    },
  };
}
