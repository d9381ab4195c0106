import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location = new URL("http://tray.local/phone");
globalThis.localStorage = { getItem: () => "Ann", setItem() {}, removeItem() {} };
const { aboutWords, handOf, hiddenRolls, nextWords, sidesOf, sidesWords, turnWords } =
  await import("../../../../device/web/ui/components/turns.js");
const { t } = await import("../../../../device/web/ui/lib/texts.js");
const { historyRow } = await import("../../../../device/web/ui/components/history.js");

const roll = (owner, label = null) => ({ id: 1, owner, label, text: label ? `${owner}: ${label}` : owner });

test("how far rolls that are compared have come: what is hidden is a question mark", () => {
  const member = (owner, turn, roll = null, count = null) => ({ owner, turn, roll, count });
  const hidden = member("Guard", "rolled", 4);
  assert.equal(
    sidesWords({ members: [member("Ann", "rolled", 3, 2), hidden, member("Zo", "now"), member(null, "waits")] }),
    "Ann 2 · Guard ? · Zo rolls · Anyone",
  );
  assert.equal(sidesWords({ members: [member("Ann", "now", 5, 0), member("Guard", "now", 6)] }), "Ann 0 · Guard ?");
  const both = [member("Ann", "rolled", 3, 2), hidden];
  assert.equal(
    sidesOf([
      { members: both, text: null },
      { members: both, text: "Ann beats Guard, 2 to 1." },
    ]),
    "Ann 2 · Guard ?",
  );
});

test("a requested roll shows what it is measured by, and that it is hidden", () => {
  assert.equal(aboutWords({ aim_text: "Threshold 2", hidden: true }), "Threshold 2 · hidden");
  assert.equal(aboutWords({ aim_text: null, hidden: false }), "");
});

test("a hidden roll may be shown once it is scored, and when it is over", () => {
  const guard = { ...roll("Guard"), hidden: true };
  assert.deepEqual(hiddenRolls({ asked: guard, state: "rolling" }), []);
  assert.deepEqual(hiddenRolls({ asked: guard, state: "scored" }), [guard]);
  assert.deepEqual(hiddenRolls({ asked: roll("Zo"), state: "scored", unshown: [guard] }), [guard]);
});

test("a phone says when it is its player's turn", () => {
  assert.equal(turnWords({ asked: roll("Ann", "Fight"), state: "empty" }), "Your turn, Ann: Fight");
  assert.equal(turnWords({ asked: roll("Ann", "Fight"), state: "scored", outcome: {} }), "Ann: Fight");
  assert.equal(turnWords({ asked: roll("Zo", "Notice"), state: "scored" }), "Zo: Notice");
  assert.equal(turnWords({ asked: null, take: [], state: "empty" }), t("page.turn.nobody"));
  assert.equal(turnWords({ asked: null, take: [{}], state: "empty" }), t("page.turn.declared"));
  assert.equal(turnWords({ asked: null, take: [], state: "scored" }), "");
});

test("a phone says who is next, and how long its player waits", () => {
  assert.equal(nextWords([roll("Zo")]), "Next: Zo");
  assert.equal(nextWords([roll("Zo"), roll("Bo"), roll("Flo")]), "Next: Zo, 2 more");
  assert.equal(nextWords([roll("Ann"), roll("Zo")]), t("page.turn.you_next"));
  assert.equal(nextWords([roll("Zo"), roll("Ann")]), "Next: Zo, then you.");
  assert.equal(nextWords([roll("Zo"), roll("Bo"), roll("Ann")]), "Next: Zo; 2 before you.");
});

test("a hand is shown in the tray's colours, the role second", () => {
  const shown = markup(
    handOf(
      [
        { role: "base", colour: "base", count: 3 },
        { role: "plain", colour: null, count: 2 },
      ],
      { base: "yellow" },
    ),
  );
  assert.match(shown, /--body: #f2b632.*3 yellow <small>base<\/small>.*2 dice<\/li>/s);
});

test("earlier rolls say whose they were", () => {
  const row = (more) => markup(historyRow({ id: 7, at: "soon", kind: "scored", ...more }));
  assert.ok(row({ owner: "Zo", label: "Notice" }).includes("title=Notice>Zo · Rolled<"));
  assert.ok(row({ owner: null, label: null }).includes(">Rolled<"));
  assert.ok(row({ owner: "Zo", label: null, hidden: true, dice: [], outcome: null }).includes(">Zo · hidden<"));
});
