// The calibration page: shows how the camera looks at the tray, collects pictures, proves and saves. It keeps no state
// but the corners being tapped; everything else comes from the tray, so a reload is right.

import { ask } from "../lib/api.js";
import { livePicture } from "../components/picture.js";

const LOOK_MS = 1500;
// Taking a picture of the empty tray needs several in a row, and a small computer its time for them.
const WORK_MS = 60000;
const WORD = { ok: "fine", warn: "better", fail: "wrong" };
const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);
const drawn = byId("drawn");
const stage = document.querySelector(".stage");
let corners = null;
let proof = null;
let seen = null;

function say(text) {
  byId("said").textContent = text;
}

function element(name, attributes, text) {
  const made = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function checkLine(verdict, word, text, cure) {
  const line = element("li", { class: `is-${verdict}` });
  line.append(element("span", { class: "mark-word" }, word), element("span", {}, cure ? `${text}: ${cure}` : text));
  return line;
}

function points(pairs) {
  return pairs.map(([x, y]) => `${x},${y}`).join(" ");
}

function draw() {
  if (seen === null) return;
  drawn.setAttribute("viewBox", `0 0 ${seen.width} ${seen.height}`);
  const parts = [];
  if (seen.floor) parts.push(element("svg:polygon", { class: "floor", points: points(seen.floor.outline_px) }));
  for (const [x, y] of corners ?? []) parts.push(element("svg:circle", { class: "corner", cx: x, cy: y, r: 14 }));
  for (const die of proof?.dice ?? []) {
    const unread = die.unread !== null;
    parts.push(element("svg:polygon", { class: `read${unread ? " is-unread" : ""}`, points: points(die.top_quad_px) }));
    const [x, y] = die.center_px;
    parts.push(element("svg:text", { class: "value", x, y: y - 46 }, unread ? "?" : `${die.colour} ${die.value}`));
  }
  drawn.replaceChildren(...parts);
}

function show(told) {
  seen = told;
  byId("checks").replaceChildren(
    ...told.checks.map((check) => checkLine(check.verdict, check.part, `${WORD[check.verdict]}, ${check.text}`, check.cure)),
  );
  byId("focus-row").hidden = !told.can_focus;
  byId("empty-done").hidden = !told.has_empty;
  for (const button of byId("labels").querySelectorAll("button")) {
    const known = told.dice[button.dataset.label];
    button.disabled = !told.has_empty;
    button.textContent = known ? `${button.dataset.label}: taken` : button.dataset.label;
  }
  if (byId("labels").childElementCount === 0) {
    for (const label of told.labels) {
      const button = element("button", { type: "button", "data-label": label, "data-testid": "calibration-dice" }, label);
      button.disabled = !told.has_empty;
      button.addEventListener("click", () => takeDice(label));
      const item = element("li", {});
      item.append(button);
      byId("labels").append(item);
    }
  }
  byId("proof").disabled = !told.has_empty;
  byId("save").disabled = !told.has_empty;
  byId("path").textContent = told.path;
  draw();
}

async function wish(method, path, body) {
  say("One moment…");
  const answer = await ask(method, path, body, WORK_MS);
  if (!answer.ok) say(answer.text);
  return answer.ok ? answer.snapshot : null;
}

async function look() {
  const answer = await ask("GET", "/api/calibration");
  if (answer.ok) show(answer.snapshot);
  else say(answer.text);
  setTimeout(look, LOOK_MS);
}

async function takeDice(label) {
  const told = await wish("POST", "/api/calibration/dice", { label });
  if (told === null) return;
  show(told);
  say(`${told.count} ${label} ${told.count === 1 ? "die" : "dice"} taken.`);
}

byId("focus").addEventListener("click", async () => {
  byId("focus").disabled = true;
  say("The camera focuses on the card ...");
  const told = await wish("POST", "/api/calibration/focus", {});
  byId("focus").disabled = false;
  if (told === null) return;
  show(told);
  say(`Focused: ${told.dioptres} dioptres for a die's top face. Take the card out now.`);
});

byId("empty").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/empty", {});
  if (told === null) return;
  proof = null;
  show(told);
  say("The empty tray is taken. Now a few dice of one kind.");
});

byId("find").addEventListener("click", async () => {
  corners = null;
  byId("tap").setAttribute("aria-pressed", "false");
  stage.classList.remove("is-tapping");
  const told = await wish("POST", "/api/calibration/corners", { corners: null });
  if (told === null) return;
  show(told);
  say("The floor is looked for in each picture again.");
});

byId("tap").addEventListener("click", () => {
  corners = corners === null ? [] : null;
  byId("tap").setAttribute("aria-pressed", String(corners !== null));
  stage.classList.toggle("is-tapping", corners !== null);
  if (corners !== null) say("Tap the four corners where the floor meets the wall.");
  draw();
});

byId("picture").addEventListener("click", async (event) => {
  if (corners === null || seen === null) return;
  const box = event.target.getBoundingClientRect();
  corners.push([
    ((event.clientX - box.left) / box.width) * seen.width,
    ((event.clientY - box.top) / box.height) * seen.height,
  ]);
  draw();
  if (corners.length < 4) return;
  const told = await wish("POST", "/api/calibration/corners", { corners });
  corners = null;
  byId("tap").setAttribute("aria-pressed", "false");
  stage.classList.remove("is-tapping");
  if (told !== null) {
    show(told);
    say("The floor is where you showed it.");
  } else draw();
});

byId("proof").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/proof", {});
  if (told === null) return;
  proof = told;
  byId("warnings").replaceChildren(...told.warnings.map((text) => checkLine("warn", "note", text)));
  say(told.dice.length === 0 ? "No dice are seen." : told.trusted ? "Every die is read and trusted." : "Not all is trusted yet.");
  draw();
});

byId("save").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/save", {});
  if (told !== null) say(`Saved and in use: ${told.path}`);
});

livePicture(byId("picture"), byId("no-picture"), () => true);
look();
