import { speak } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

speak("en");
const { choicesOf, inWords, isFound, limitsOf, noteOf, typed } =
  await import("../../../../device/web/ui/lib/settings-fields.js");
const { t } = await import("../../../../device/web/ui/lib/texts.js");

const setting = (more) => ({
  key: "usb.fps",
  title: "Pictures",
  help: "",
  kind: "whole",
  words: [],
  suggested: [],
  low: 5,
  high: 60,
  is_open: false,
  usual: 30,
  value: null,
  holds: 30,
  live: false,
  pending: false,
  overridden: false,
  ...more,
});
const WORDS = [
  { value: "none", title: "none" },
  { value: "wled", title: "WLED" },
];

test("a word and a switch are chosen, everything else is typed", () => {
  assert.deepEqual(choicesOf(setting({ kind: "word", words: WORDS })), WORDS);
  assert.deepEqual(choicesOf(setting({ kind: "switch" })), [
    { value: true, title: "on" },
    { value: false, title: "off" },
  ]);
  for (const kind of ["whole", "number", "text", "texts"]) assert.equal(choicesOf(setting({ kind })), null);
});

test("what was typed becomes what the tray takes", () => {
  assert.equal(typed(setting(), " 25 "), 25);
  assert.equal(typed(setting({ kind: "number" }), "0,5"), 0.5);
  assert.equal(typed(setting(), ""), null);
  assert.equal(typed(setting({ kind: "text" }), "25"), "25");
  assert.deepEqual(typed(setting({ kind: "texts" }), "tray.lan, dice.lan"), ["tray.lan", "dice.lan"]);
});

test("what is no number goes to the tray as it is, which says so", () => {
  for (const text of ["many", "1.2.3", "Infinity"]) assert.equal(typed(setting(), text), text);
});

test("values are told in words", () => {
  assert.equal(inWords(setting({ kind: "word", words: WORDS }), "wled"), "WLED");
  assert.equal(inWords(setting({ kind: "switch" }), false), "off");
  assert.equal(inWords(setting({ kind: "texts" }), ["a", "b"]), "a, b");
  assert.equal(inWords(setting({ kind: "texts" }), []), "nothing");
  assert.equal(inWords(setting(), null), "nothing");
  assert.equal(inWords(setting(), 0), "0");
});

test("what waits for the next start says what holds until then; the command line comes first", () => {
  assert.equal(noteOf(setting()), "");
  assert.equal(noteOf(setting({ pending: true, holds: 30 })), t("page.settings.pending", { value: 30 }));
  assert.equal(
    noteOf(setting({ pending: true, overridden: true, holds: 9 })),
    t("page.settings.overridden", { value: 9 }),
  );
});

test("a setting is found by words of its name, its help and its key", () => {
  const one = setting({ key: "web.host", title: "Address", help: "Where it listens." });
  for (const words of ["", "addr", "LISTENS web", "host"]) assert.ok(isFound(one, words), words);
  assert.ok(!isFound(one, "address ring"));
});

test("limits and the usual value stand next to a field", () => {
  assert.equal(limitsOf(setting()), "5 to 60 · 30 (default)");
  assert.equal(limitsOf(setting({ low: 0, high: 1, is_open: true, usual: 0.6 })), "above 0, at most 1 · 0.6 (default)");
  assert.equal(limitsOf(setting({ high: null, usual: null })), "5 or more");
  assert.equal(limitsOf(setting({ low: null, high: null, usual: [] })), "");
});
