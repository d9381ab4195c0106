// @ts-check
// The calibration page: shows the camera's view, collects pictures, checks and saves. Its only state is the corners
// being tapped; everything else comes from the tray, so a reload is right.

import { ask } from "../../ui/lib/api.js";
import { byId } from "../../ui/lib/dom.js";
import { remember, remembered } from "../../ui/lib/first-start.js";
import { maybe, t } from "../../ui/lib/texts.js";
import { html, nothing, render, svg } from "../../ui/lib/vendor/lit-html/lit-html.js";
import { livePicture } from "../../ui/components/picture.js";
import { points, readMark } from "../../ui/components/read-marks.js";
import { ruleWord } from "../../ui/lib/words.js";

const LOOK_MS = 1500;
// The empty tray needs several pictures in a row, which takes a small computer a while.
const WORK_MS = 60000;

/** @import { Die, Point } from "../../ui/lib/types.js" */
/** @typedef {{ verdict: string, part: string, text: string, cure?: string | null }} Check */
/** @typedef {{ dice: Die[], trusted: boolean, warnings: string[] }} Proof */
/**
 * @typedef {object} Calibration
 * @property {number} width
 * @property {number} height
 * @property {{ outline_px: Point[] } | null} floor
 * @property {Check[]} checks
 * @property {boolean} can_focus
 * @property {boolean} can_measure_light
 * @property {boolean} has_dice
 * @property {boolean} has_empty
 * @property {string[]} labels
 * @property {Record<string, unknown>} dice
 * @property {string} path
 */

/** @param {string} id */
const button = (id) => byId(id, HTMLButtonElement);
const drawn = byId("drawn", SVGSVGElement);
const picture = byId("picture", HTMLCanvasElement);
const stage = /** @type {HTMLElement} */ (document.querySelector(".stage"));
/** @type {Point[] | null} */
let corners = null;
/** @type {Proof | null} */
let proof = null;
/** @type {Calibration | null} */
let seen = null;

/** @param {string} text */
function say(text) {
  byId("said").textContent = text;
}

/**
 * @param {string} verdict
 * @param {string} word
 * @param {string} text
 * @param {string | null} [cure]
 */
function checkLine(verdict, word, text, cure) {
  return html`<li class="check is-${verdict}"><b>${word}</b> <span>${cure ? t("page.calibrate.cure", { text, cure }) : text}</span></li>`;
}

function draw() {
  if (seen === null) return;
  drawn.setAttribute("viewBox", `0 0 ${seen.width} ${seen.height}`);
  const floor = seen.floor ? svg`<polygon class="floor" points=${points(seen.floor.outline_px)}></polygon>` : nothing;
  const tapped = (corners ?? []).map(([x, y]) => svg`<circle class="corner" cx=${x} cy=${y} r="14"></circle>`);
  render(
    [floor, tapped, (proof?.dice ?? []).map((die) => readMark(die, ruleWord(die.colour ?? "")))],
    /** @type {any} */ (drawn),
  );
}

/** @param {Calibration} answer */
function show(answer) {
  seen = answer;
  render(
    answer.checks.map((check) =>
      checkLine(
        check.verdict,
        maybe(`page.calibrate.part.${check.part}`) ?? check.part,
        t("page.calibrate.check", { status: t(`page.calibrate.${check.verdict}`), text: check.text }),
        check.cure,
      ),
    ),
    byId("checks"),
  );
  byId("focus-row").hidden = !answer.can_focus;
  byId("light-row").hidden = !answer.can_measure_light;
  byId("dice-first").hidden = answer.has_dice;
  byId("empty-done").hidden = !answer.has_empty;
  render(
    answer.labels.map(
      (label) =>
        html`<li><button type="button" class="tool" data-label=${label} data-testid="calibration-dice" ?disabled=${!answer.has_empty} @click=${() => takeDice(label)}>${answer.dice[label] ? t("page.calibrate.label_taken", { label: ruleWord(label) }) : ruleWord(label)}</button></li>`,
    ),
    byId("labels"),
  );
  button("proof").disabled = !answer.has_empty;
  button("save").disabled = !answer.has_empty || !answer.has_dice;
  byId("path").textContent = answer.path;
  draw();
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} body
 */
async function send(method, path, body) {
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

/** @param {string} label */
async function takeDice(label) {
  const answer = await send("POST", "/api/calibration/dice", { label });
  if (answer === null) return;
  show(answer);
  say(t("page.calibrate.dice_taken", { count: answer.count, label: ruleWord(label) }));
}

/**
 * @param {"focus" | "light"} what
 * @param {string} meanwhile
 * @param {(answer: any) => string} done
 */
function measures(what, meanwhile, done) {
  byId(what).addEventListener("click", async () => {
    button(what).disabled = true;
    const asked = send("POST", `/api/calibration/${what}`, {});
    say(meanwhile);
    const answer = await asked;
    button(what).disabled = false;
    if (answer === null) return;
    show(answer);
    say(done(answer));
  });
}

measures("focus", t("page.calibrate.focusing"), (answer) => t("page.calibrate.focused", { dioptres: answer.dioptres }));
measures("light", t("page.calibrate.measuring_light"), () => t("page.calibrate.light_measured"));

byId("empty").addEventListener("click", async () => {
  const answer = await send("POST", "/api/calibration/empty", {});
  if (answer === null) return;
  proof = null;
  show(answer);
  say(t("page.calibrate.empty_taken"));
});

byId("find").addEventListener("click", async () => {
  corners = null;
  byId("tap").setAttribute("aria-pressed", "false");
  stage.classList.remove("is-tapping");
  const answer = await send("POST", "/api/calibration/corners", { corners: null });
  if (answer === null) return;
  show(answer);
  say(t("page.calibrate.looked_for"));
});

byId("tap").addEventListener("click", () => {
  corners = corners === null ? [] : null;
  byId("tap").setAttribute("aria-pressed", String(corners !== null));
  stage.classList.toggle("is-tapping", corners !== null);
  if (corners !== null) say(t("page.calibrate.tap_four"));
  draw();
});

picture.addEventListener("click", async (event) => {
  if (corners === null || seen === null) return;
  const box = picture.getBoundingClientRect();
  corners.push([
    ((event.clientX - box.left) / box.width) * seen.width,
    ((event.clientY - box.top) / box.height) * seen.height,
  ]);
  draw();
  if (corners.length < 4) return;
  const answer = await send("POST", "/api/calibration/corners", { corners });
  corners = null;
  byId("tap").setAttribute("aria-pressed", "false");
  stage.classList.remove("is-tapping");
  if (answer !== null) {
    show(answer);
    say(t("page.calibrate.shown"));
  } else draw();
});

byId("proof").addEventListener("click", async () => {
  const answer = await send("POST", "/api/calibration/proof", {});
  if (answer === null) return;
  proof = answer;
  render(
    answer.warnings.map((/** @type {string} */ text) => checkLine("warn", t("page.calibrate.note"), text)),
    byId("warnings"),
  );
  say(
    t(
      answer.dice.length === 0
        ? "page.calibrate.no_dice"
        : answer.trusted
          ? "page.calibrate.all_trusted"
          : "page.calibrate.not_all",
    ),
  );
  draw();
});

byId("save").addEventListener("click", async () => {
  const answer = await send("POST", "/api/calibration/save", {});
  if (answer === null) return;
  const memory = remembered();
  remember({ ...memory, marks: { ...memory.marks, calibrate: "done" } });
  say(t("page.calibrate.saved", { path: answer.path }));
});

livePicture(picture, byId("no-picture"), () => true);
look();
