// @ts-check
// The kiosk's on-screen keyboard, at the bottom of the screen while a text field has the focus.

import { element } from "../lib/dom.js";
import { language, t } from "../lib/texts.js";
import { html } from "../lib/vendor/lit-html/lit-html.js";

const LETTERS =
  language === "de"
    ? ["q w e r t z u i o p ü", "a s d f g h j k l ö ä", "{shift} y x c v b n m ß , ."]
    : ["q w e r t y u i o p", "a s d f g h j k l '", "{shift} z x c v b n m , ."];
const LOWER = ["1 2 3 4 5 6 7 8 9 0 {bksp}", ...LETTERS, "{done} - {space} {enter}"];
const LAYOUT = {
  default: LOWER,
  shift: LOWER.map((row) =>
    row.replace(/\p{Ll}(?= |$)/gu, (letter) => (letter === "ß" ? letter : letter.toUpperCase())),
  ),
  digits: ["1 2 3", "4 5 6", "7 8 9", "{done} 0 {bksp}", "- , . {enter}"],
};
const KEYS = { "{bksp}": "⌫", "{shift}": "⇧", "{space}": "␣", "{done}": "▾", "{enter}": "⏎" };

const node = element(html`<div class="keyboard" role="group" aria-label=${t("page.keyboard.title")}></div>`);
const keys = element(html`<div class="keys"></div>`);
node.append(keys);
/** @type {HTMLInputElement | null} */
let field = null;

/** @type {import("../lib/vendor/simple-keyboard/index.modern.esm.js").default | undefined} */
let keyboard;

async function makeKeyboard() {
  const { default: SimpleKeyboard } = await import("../lib/vendor/simple-keyboard/index.modern.esm.js");
  return new SimpleKeyboard(keys, {
    layout: LAYOUT,
    display: KEYS,
    theme: "",
    useButtonTag: true,
    // The field keeps the focus.
    preventMouseDownDefault: true,
    disableCaretPositioning: true,
    buttonAttributes: Object.keys(KEYS).map((buttons) => ({
      attribute: "aria-label",
      value: t(`page.keyboard.${buttons.slice(1, -1)}`),
      buttons,
    })),
    onChange(text) {
      if (!field) return;
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      upper(false);
    },
    onKeyPress(key) {
      if (key === "{shift}") upper(keyboard?.options.layoutName === "default");
      else if (key === "{done}") field?.blur();
      else if (key === "{enter}") enter();
    },
  });
}

/** @param {boolean} isUpper */
function upper(isUpper) {
  if (keyboard && keyboard.options.layoutName !== "digits")
    keyboard.setOptions({ layoutName: isUpper ? "shift" : "default" });
}

function enter() {
  const { form } = field ?? {};
  field?.blur();
  form?.requestSubmit();
}

/** @param {HTMLInputElement} wanted the field that has the focus */
export async function showKeyboard(wanted) {
  keyboard ??= await makeKeyboard();
  if (document.activeElement !== wanted) return;
  field = wanted;
  const before = wanted.value;
  const isDigits = wanted.inputMode === "numeric" || wanted.inputMode === "decimal" || wanted.type === "number";
  keyboard.setOptions({
    layoutName: isDigits ? "digits" : wanted.value ? "default" : "shift",
    maxLength: wanted.maxLength > 0 ? wanted.maxLength : undefined,
  });
  keyboard.setInput(wanted.value);
  // A modal dialog covers all that is outside of it.
  (wanted.closest("dialog") ?? document.body).append(node);
  document.documentElement.dataset.keyboard = "";
  wanted.scrollIntoView({ block: "center" });
  wanted.addEventListener("blur", hide, { once: true });

  function hide() {
    // A browser reports no change of what a script has written.
    if (wanted.value !== before) wanted.dispatchEvent(new Event("change", { bubbles: true }));
    field = null;
    node.remove();
    delete document.documentElement.dataset.keyboard;
  }
}
