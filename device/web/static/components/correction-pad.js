// The correction pad: one tap opens it, a second says what the die shows, which class it is of, or that it is no die.
// Opened on an empty place of the picture, it adds a die there.

import { askSeen } from "../lib/api.js";
import { bodyHex, html, inkHex } from "../lib/drawing.js";
import { capital, dieWords, diceOf, missingClass, unreadWords } from "../lib/words.js";

export function correctionPad(dialog, say) {
  const at = (id) => dialog.querySelector(`#${id}`);
  let dieId = null;
  let added = null;
  let snapshot = null;

  const current = () => diceOf(snapshot ?? {}).find((die) => die.id === dieId);
  const dismissed = () => snapshot?.ignored_dice?.find((die) => die.id === dieId);

  async function send(method, path, body) {
    const answer = await askSeen(method, path, body);
    if (!answer.ok) {
      say(answer.text);
      // What was pointed at stays open, so that nothing chosen is lost; a refused correction shows what holds.
      return;
    }
    snapshot = answer.snapshot;
    const die = current();
    if (added || !die || method === "DELETE" || body?.ignored === false || (die.value && die.colour)) dialog.close();
    else draw();
  }

  function tell(word) {
    if (!added) return send("PATCH", `/api/dice/${dieId}`, word);
    Object.assign(added, word);
    draw();
    if (!added.value || !added.colour) return undefined;
    return send("POST", "/api/dice", { center_px: added.center_px, value: added.value, colour: added.colour });
  }

  function key(label, attributes, onTap) {
    const node = html("button", { type: "button", ...attributes }, label);
    node.addEventListener("click", onTap);
    return node;
  }

  function drawKeys(die) {
    at("pad-values").replaceChildren(
      ...[1, 2, 3, 4, 5, 6].map((value) => key(String(value), { class: "pad-key", "data-value": value, "aria-pressed": String(die.value === value) }, () => tell({ value }))),
    );
    at("pad-colours").replaceChildren(
      ...Object.keys(snapshot.colours ?? {}).map((name) => {
        const node = key(capital(name), { class: "pad-key pad-colour", "data-colour": name, "aria-pressed": String(die.colour === name) }, () => tell({ colour: name }));
        node.style.setProperty("--body", bodyHex(name, snapshot.colours));
        node.style.setProperty("--ink", inkHex(name, snapshot.colours));
        return node;
      }),
    );
  }

  function draw() {
    const die = added ?? current() ?? dismissed();
    if (!die) {
      dialog.close();
      return;
    }
    const away = !added && !current();
    at("pad-values").hidden = away;
    at("pad-colours").hidden = away;
    at("pad-no-die").hidden = Boolean(added) || away;
    at("pad-undo").hidden = Boolean(added) || !(away || die.corrected);
    at("pad-undo").textContent = away ? "It is a die after all" : die.added ? "Undo: take it away again" : "Undo: take the camera's word";
    if (added) {
      at("pad-title").textContent = "Add a die here";
      at("pad-note").textContent = "The camera does not see it? Tap what it shows and which colour it is.";
      drawKeys(added);
      return;
    }
    const seen = die.read_value ? `The camera read ${die.read_value}` : die.added ? "The camera does not see it" : "The camera could not tell";
    const colour = die.read_colour ? `, ${die.read_colour}` : "";
    if (away) {
      at("pad-title").textContent = "Not a die";
      at("pad-note").textContent = `${seen}${colour}. Somebody said that it is no die, so it does not count.`;
      return;
    }
    at("pad-title").textContent = dieWords(die);
    at("pad-note").textContent = die.corrected ? `${die.added ? "Added" : "Corrected"} by hand. ${seen}${colour}.` : die.unread ? `It ${unreadWords(die)}. What does it show?` : "Read wrong? Tap what it shows.";
    drawKeys(die);
  }

  at("pad-no-die").addEventListener("click", () => tell({ ignored: true }));
  at("pad-undo").addEventListener("click", () => {
    if (current()) send("DELETE", `/api/dice/${dieId}/correction`);
    else tell({ ignored: false });
  });
  at("pad-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  function show() {
    draw();
    if (!dialog.open) dialog.showModal();
    at("pad-values").querySelector("[aria-pressed=true]")?.focus();
  }

  return {
    open(id, latest) {
      dieId = id;
      added = null;
      snapshot = latest;
      if (current() || dismissed()) show();
    },
    add(center, latest) {
      dieId = null;
      snapshot = latest;
      added = { center_px: center, value: null, colour: missingClass(latest) };
      show();
    },
    update(latest) {
      snapshot = latest;
      if (dialog.open) draw();
    },
    press(value) {
      if (dialog.open && !at("pad-values").hidden) tell({ value });
    },
  };
}
