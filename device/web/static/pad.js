// The correction pad: one tap opens it, a second says what the die shows or which class it is of.

import { ask } from "./api.js";
import { bodyHex, html, inkHex } from "./drawing.js";
import { capital, dieWords, diceOf, unreadWords } from "./words.js";

export function correctionPad(dialog, say) {
  const at = (id) => dialog.querySelector(`#${id}`);
  let dieId = null;
  let snapshot = null;

  const current = () => diceOf(snapshot ?? {}).find((die) => die.id === dieId);

  async function send(method, path, body) {
    const answer = await ask(method, path, body);
    if (!answer.ok) {
      say(answer.text);
      return;
    }
    snapshot = answer.snapshot;
    const die = current();
    if (!die || method === "DELETE" || (die.value && die.colour)) dialog.close();
    else draw();
  }

  const correct = (body) => send("PATCH", `/api/dice/${dieId}`, body);

  function key(label, attributes, onTap) {
    const node = html("button", { type: "button", ...attributes }, label);
    node.addEventListener("click", onTap);
    return node;
  }

  function draw() {
    const die = current();
    if (!die) {
      dialog.close();
      return;
    }
    at("pad-title").textContent = dieWords(die);
    const seen = die.read_value ? `The camera read ${die.read_value}` : "The camera could not tell";
    const colour = die.read_colour ? `, ${die.read_colour}` : "";
    at("pad-note").textContent = die.corrected ? `Corrected by hand. ${seen}${colour}.` : die.unread ? `It ${unreadWords(die)}. What does it show?` : "Read wrong? Tap what it shows.";
    at("pad-values").replaceChildren(
      ...[1, 2, 3, 4, 5, 6].map((value) => key(String(value), { class: "pad-key", "data-value": value, "aria-pressed": String(die.value === value) }, () => correct({ value }))),
    );
    at("pad-colours").replaceChildren(
      ...Object.keys(snapshot.colours ?? {}).map((name) => {
        const node = key(capital(name), { class: "pad-key pad-colour", "data-colour": name, "aria-pressed": String(die.colour === name) }, () => correct({ colour: name }));
        node.style.setProperty("--body", bodyHex(name, snapshot.colours));
        node.style.setProperty("--ink", inkHex(name, snapshot.colours));
        return node;
      }),
    );
    at("pad-undo").hidden = !die.corrected;
  }

  at("pad-undo").addEventListener("click", () => send("DELETE", `/api/dice/${dieId}/correction`));
  at("pad-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  return {
    open(id, latest) {
      dieId = id;
      snapshot = latest;
      if (!current()) return;
      draw();
      if (!dialog.open) dialog.showModal();
      at("pad-values").querySelector("[aria-pressed=true]")?.focus();
    },
    update(latest) {
      snapshot = latest;
      if (dialog.open) draw();
    },
    press(value) {
      if (dialog.open) correct({ value });
    },
  };
}
