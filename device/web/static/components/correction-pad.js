// The correction pad: one tap opens it, a second says what the die shows, which class it is of, or that it is no die.
// Opened on an empty place of the picture, it adds a die there.

import { askSeen } from "../lib/api.js";
import { bodyHex, html, inkHex } from "../lib/drawing.js";
import { t } from "../lib/texts.js";
import { dieWords, diceOf, missingClass, plainWord, ruleWord, unreadWords } from "../lib/words.js";

// What the camera made of a die.
function seenWords(die) {
  const colour = die.read_colour ? ruleWord(die.read_colour) : null;
  if (die.read_value) return t(colour ? "page.pad.read_colour" : "page.pad.read", { value: die.read_value, colour });
  if (die.added) return t("page.pad.unseen");
  return t(colour ? "page.pad.unsure_colour" : "page.pad.unsure", { colour });
}

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
        const node = key(plainWord(name), { class: "pad-key pad-colour", "data-colour": name, "aria-pressed": String(die.colour === name) }, () => tell({ colour: name }));
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
    at("pad-undo").textContent = t(away ? "page.pad.undo_die" : die.added ? "page.pad.undo_added" : "page.pad.undo");
    if (added) {
      at("pad-title").textContent = t("page.pad.add");
      at("pad-note").textContent = t("page.pad.add_note");
      drawKeys(added);
      return;
    }
    const seen = seenWords(die);
    if (away) {
      at("pad-title").textContent = t("page.pad.no_die");
      at("pad-note").textContent = t("page.pad.dismissed", { seen });
      return;
    }
    at("pad-title").textContent = dieWords(die);
    at("pad-note").textContent = die.corrected ? t(die.added ? "page.pad.added" : "page.pad.corrected", { seen }) : die.unread ? t("page.pad.doubt", { what: unreadWords(die) }) : t("page.pad.wrong");
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
