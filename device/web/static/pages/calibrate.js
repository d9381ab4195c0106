// The calibration page: shows how the camera looks at the tray, collects pictures, proves and saves. It keeps no state
// but the corners being tapped; everything else comes from the tray, so a reload is right.

import { ask } from "../lib/api.js";
import { maybe, t } from "../lib/texts.js";
import { livePicture } from "../components/picture.js";
import { ruleWord } from "../lib/words.js";

const LOOK_MS = 1500;
// Taking a picture of the empty tray needs several in a row, and a small computer its time for them.
const WORK_MS = 60000;
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
  line.append(element("span", { class: "mark-word" }, word), element("span", {}, cure ? t("page.calibrate.cure", { text, cure }) : text));
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
    parts.push(element("svg:text", { class: "value", x, y: y - 46 }, unread ? "?" : `${ruleWord(die.colour)} ${die.value}`));
  }
  drawn.replaceChildren(...parts);
}

function show(told) {
  seen = told;
  byId("checks").replaceChildren(
    ...told.checks.map((check) => checkLine(check.verdict, maybe(`page.calibrate.part.${check.part}`) ?? check.part, t("page.calibrate.check", { status: t(`page.calibrate.${check.verdict}`), text: check.text }), check.cure)),
  );
  byId("focus-row").hidden = !told.can_focus;
  byId("empty-done").hidden = !told.has_empty;
  for (const button of byId("labels").querySelectorAll("button")) {
    const known = told.dice[button.dataset.label];
    button.disabled = !told.has_empty;
    button.textContent = known ? t("page.calibrate.label_taken", { label: ruleWord(button.dataset.label) }) : ruleWord(button.dataset.label);
  }
  if (byId("labels").childElementCount === 0) {
    for (const label of told.labels) {
      const button = element("button", { type: "button", "data-label": label, "data-testid": "calibration-dice" }, ruleWord(label));
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
  say(t("page.calibrate.moment"));
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
  say(t("page.calibrate.dice_taken", { count: told.count, label: ruleWord(label) }));
}

byId("focus").addEventListener("click", async () => {
  byId("focus").disabled = true;
  say(t("page.calibrate.focusing"));
  const told = await wish("POST", "/api/calibration/focus", {});
  byId("focus").disabled = false;
  if (told === null) return;
  show(told);
  say(t("page.calibrate.focused", { dioptres: told.dioptres }));
});

byId("empty").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/empty", {});
  if (told === null) return;
  proof = null;
  show(told);
  say(t("page.calibrate.empty_taken"));
});

byId("find").addEventListener("click", async () => {
  corners = null;
  byId("tap").setAttribute("aria-pressed", "false");
  stage.classList.remove("is-tapping");
  const told = await wish("POST", "/api/calibration/corners", { corners: null });
  if (told === null) return;
  show(told);
  say(t("page.calibrate.looked_for"));
});

byId("tap").addEventListener("click", () => {
  corners = corners === null ? [] : null;
  byId("tap").setAttribute("aria-pressed", String(corners !== null));
  stage.classList.toggle("is-tapping", corners !== null);
  if (corners !== null) say(t("page.calibrate.tap_four"));
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
    say(t("page.calibrate.shown"));
  } else draw();
});

byId("proof").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/proof", {});
  if (told === null) return;
  proof = told;
  byId("warnings").replaceChildren(...told.warnings.map((text) => checkLine("warn", t("page.calibrate.note"), text)));
  say(t(told.dice.length === 0 ? "page.calibrate.no_dice" : told.trusted ? "page.calibrate.all_trusted" : "page.calibrate.not_all"));
  draw();
});

byId("save").addEventListener("click", async () => {
  const told = await wish("POST", "/api/calibration/save", {});
  if (told !== null) say(t("page.calibrate.saved", { path: told.path }));
});

livePicture(byId("picture"), byId("no-picture"), () => true);
look();
