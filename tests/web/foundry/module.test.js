// The module in a stand-in of Foundry: a roll waits for the dice of the tray and gets these faces.

import { FakeStream, Roll, openFoundry, settle } from "./stand-in.js";
import assert from "node:assert/strict";
import { test } from "node:test";

let loads = 0;
/** A Foundry with the module freshly loaded, as a browser does with each page. */
async function open(how) {
  const foundry = openFoundry(how);
  await import(`../../../device/web/features/foundry/module/scripts/pushtray.js?load=${loads++}`);
  foundry.start();
  return foundry;
}

const die = (id, colour, value) => ({ id, colour, role: colour, value });
const EMPTY = { version: 1, state: "empty", roll: null, dice: [], outcome: null };
const HITS = { headline: { value: 1, word: "success" } };
const thrown = (roll, dice, more = {}) => ({
  version: 2 * roll,
  state: "scored",
  roll,
  dice,
  pool_roles: ["base", "skill", "gear"],
  outcome: HITS,
  push: { must_reroll: dice.filter((one) => one.value < 6).map((one) => one.id) },
  asked: null,
  ...more,
});
const values = (...faces) => faces.map((value, index) => die(index + 1, "base", value));

for (const version of [12, 13]) {
  test(`version ${version}: a roll that is asked for waits for the real dice and gets their faces`, async () => {
    const foundry = await open({ version });
    FakeStream.last.say(EMPTY);
    const roll = new Roll("3d6");
    const done = roll.evaluate();
    await settle();
    assert.equal(foundry.instances.size, 1, "its window is open");
    assert.deepEqual(foundry.notes("info"), ["PushTray: throw 3 d6 into the tray."]);
    FakeStream.last.say({ ...EMPTY, state: "rolling", version: 2 });
    await settle();
    assert.deepEqual(roll.faces, [[]]);
    FakeStream.last.say(thrown(7, values(6, 2, 5)));
    await done;
    assert.deepEqual(roll.faces, [[6, 2, 5]]);
    assert.equal(foundry.instances.size, 0, "and closed automatically");
    assert.deepEqual(foundry.messages, [], "Foundry writes its roll itself");
  });
}

test("dice that lay there before the roll was asked for are not taken, nor is one that is corrected", async () => {
  await open();
  FakeStream.last.say(thrown(3, values(1, 1)));
  const roll = new Roll("2d6");
  const done = roll.evaluate();
  FakeStream.last.say(thrown(3, values(6, 1)));
  FakeStream.last.say(thrown(3, values(6, 1)), "beat");
  await settle();
  assert.deepEqual(roll.faces, [[]]);
  FakeStream.last.say(thrown(4, values(4, 3)));
  await done;
  assert.deepEqual(roll.faces, [[4, 3]]);
});

test("a hidden roll is not sent before it is shown", async () => {
  const foundry = await open();
  FakeStream.last.say(EMPTY);
  const roll = new Roll("2d6");
  const done = roll.evaluate();
  FakeStream.last.say({ ...thrown(5, []), outcome: null, hidden: true });
  await settle();
  assert.deepEqual([roll.faces, foundry.notes("warn")], [[[]], []]);
  FakeStream.last.say(thrown(5, values(6, 3)));
  await done;
  assert.deepEqual(roll.faces, [[6, 3]]);
});

test("another number of dice is told, and the roll waits on", async () => {
  const foundry = await open();
  FakeStream.last.say(EMPTY);
  const roll = new Roll("3d6");
  const done = roll.evaluate();
  FakeStream.last.say(thrown(1, values(1, 2)));
  assert.deepEqual(foundry.notes("warn"), [
    "PushTray: 2 dice lie in the tray, 3 are asked for. Throw exactly these; the window waits.",
  ]);
  FakeStream.last.say(thrown(2, values(1, 2, 3, 4)));
  assert.match(foundry.notes("warn")[1], /4 dice lie in the tray, 3 are asked for/);
  FakeStream.last.say(thrown(3, values(1, 2, 3)));
  await done;
  assert.deepEqual(roll.faces, [[1, 2, 3]]);
});

test("dice go to the terms that name their class, the others to what is left", async () => {
  const foundry = await open({ language: "de" });
  FakeStream.last.say(EMPTY);
  const roll = new Roll("2d6[fire] + 1d6[Gear] + 1d6[base]");
  const done = roll.evaluate();
  FakeStream.last.say(thrown(1, [die(1, "skill", 1), die(2, "skill", 2), die(3, "skill", 3), die(4, "base", 4)]));
  assert.match(foundry.notes("warn")[0], /Der Wurf verlangt 2 fire W6, 1 gear W6, 1 base W6/);
  FakeStream.last.say(thrown(2, [die(1, "base", 1), die(2, "skill", 2), die(3, "gear", 3), die(4, "skill", 4)]));
  await done;
  assert.deepEqual(roll.faces, [[2, 4], [3], [1]]);
});

test("dice with other sides go to their own places, and never to those of a d6", async () => {
  const foundry = await open({ dice: { d6: "pushtray", d8: "pushtray" } });
  FakeStream.last.say(EMPTY);
  const eight = { ...die(1, "base", 5), sides: 8 };
  const roll = new Roll("1d6 + 1d8");
  const done = roll.evaluate();
  await settle();
  assert.deepEqual(foundry.notes("info"), ["PushTray: throw 1 d6, 1 d8 into the tray."]);
  FakeStream.last.say(thrown(1, [eight, { ...eight, id: 2, value: 8 }]));
  assert.match(foundry.notes("warn")[0], /asks for 1 d6, 1 d8, and other dice lie/);
  assert.deepEqual(roll.faces, [[], []]);
  FakeStream.last.say(thrown(2, [eight, die(2, "base", 3)]));
  await done;
  assert.deepEqual(roll.faces, [[3], [5]]);
});

const YEAR_ZERO = Object.fromEntries([..."bsgnm68", "d6", "d8"].map((kind) => [kind, "pushtray"]));

for (const ownAsPlain of [false, true]) {
  const as = ownAsPlain ? "which count as plain ones" : "which have a denomination of their own";

  test(`own dice of Year Zero systems, ${as}, take the dice of their kind`, async () => {
    for (const system of ["mutant-year-zero", "forbidden-lands"]) {
      const foundry = await open({ system, ownAsPlain, dice: YEAR_ZERO });
      for (const letter of ["b", "s", "g"])
        assert.equal(letter in globalThis.CONFIG.Dice.fulfillment.dice, !ownAsPlain, "can be chosen");
      FakeStream.last.say(EMPTY);
      const roll = new Roll("2db + 1ds + 1dg + 1d6");
      const done = roll.evaluate();
      await settle();
      assert.deepEqual(foundry.notes("info"), [
        "PushTray: throw 2 base d6, 1 skill d6, 1 gear d6, 1 d6 into the tray.",
      ]);
      const lying = ["gear", "base", "skill", "skill"].map((colour, index) => die(index, colour, index + 1));
      FakeStream.last.say(thrown(1, [...lying, die(4, "skill", 6)]));
      assert.match(foundry.notes("warn")[0], /other dice lie/);
      FakeStream.last.say(thrown(2, [...lying, die(4, "base", 5)]));
      await done;
      assert.deepEqual(roll.faces, [[2, 5], [3], [1], [4]]);
    }
  });

  test(`negative, artifact and step dice, ${as}, are told apart`, async () => {
    await open({ system: "forbidden-lands", ownAsPlain, dice: YEAR_ZERO });
    FakeStream.last.say(EMPTY);
    const first = new Roll("1dn + 1ds + 1d8");
    const done = first.evaluate();
    const eight = { ...die(1, "gear", 8), sides: 8 };
    FakeStream.last.say(thrown(1, [eight, die(2, "skill", 4), { ...die(3, "skill", 2), role: "negative" }]));
    await done;
    assert.deepEqual(first.faces, [[2], [4], [8]]);
    const unmarked = new Roll("1dn");
    const second = unmarked.evaluate();
    FakeStream.last.say(thrown(2, [die(1, "skill", 3)]));
    await second;
    assert.deepEqual(unmarked.faces, [[3]]);

    await open({ system: "t2k4e", ownAsPlain, dice: YEAR_ZERO });
    FakeStream.last.say(EMPTY);
    const steps = new Roll("1dm + 1d8 + 1d6");
    const third = steps.evaluate();
    const roles = { pool_roles: ["base", "ammo"] };
    FakeStream.last.say(thrown(1, [{ ...eight, role: "base" }, die(2, "base", 6), die(3, "ammo", 1)], roles));
    await third;
    assert.deepEqual(steps.faces, [[1], [8], [6]]);
  });
}

test("own dice of another system are neither offered nor taken for a class", async () => {
  await open({ system: "genesys", dice: { b: "pushtray" } });
  assert.equal(globalThis.CONFIG.Dice.fulfillment.dice.b, undefined);
  FakeStream.last.say(EMPTY);
  const roll = new Roll("1db");
  const done = roll.evaluate();
  FakeStream.last.say(thrown(1, [die(1, "gear", 4)]));
  await done;
  assert.deepEqual(roll.faces, [[4]]);
});

test("a field that the tray cannot fill is named, and its button rolls it", async () => {
  const foundry = await open({ dice: { d6: "pushtray", d20: "pushtray" } });
  FakeStream.last.say(EMPTY);
  const roll = new Roll("1d20 + 1d6");
  const done = roll.evaluate();
  await settle();
  assert.match(foundry.notes("warn")[0], /cannot fill 1 d20/);
  FakeStream.last.say(thrown(1, values(5)));
  await settle();
  [...foundry.instances.values()][0].submit();
  await done;
  assert.deepEqual(roll.faces, [[10], [5]]);
  assert.equal(foundry.notes("warn").length, 1);
});

test("a push in the tray answers with the dice that were thrown again", async () => {
  await open();
  FakeStream.last.say(EMPTY);
  const first = new Roll("3d6");
  const done = first.evaluate();
  FakeStream.last.say(thrown(1, values(6, 2, 5)));
  await done;
  const push = new Roll("2d6");
  const pushed = push.evaluate();
  FakeStream.last.say({ ...thrown(1, values(6, 2, 5)), state: "awaiting_push" });
  FakeStream.last.say({ ...thrown(1, values(6, 4, 1)), state: "resolved", push: { must_reroll: [] } });
  await pushed;
  assert.deepEqual(push.faces, [[4, 1]]);
});

test("an exploding die waits for one die more", async () => {
  await open();
  FakeStream.last.say(EMPTY);
  const roll = new Roll("2d6x6");
  const done = roll.evaluate();
  await settle();
  FakeStream.last.say(thrown(1, values(6, 2)));
  await settle();
  FakeStream.last.say(thrown(2, values(3)));
  await done;
  assert.deepEqual(roll.faces, [[6, 2, 3]]);
});

test("other kinds of dice, and dice that the user did not give to the tray, stay Foundry's", async () => {
  const foundry = await open({ dice: { d6: "", d20: "" } });
  const roll = await new Roll("1d20 + 2d6").evaluate();
  assert.deepEqual(roll.faces, [[10], [3, 3]]);
  assert.deepEqual(foundry.notes("info"), []);
  const mixed = await open({ dice: { d6: "pushtray" } });
  FakeStream.last.say(EMPTY);
  const both = new Roll("1d20 + 1d6");
  const done = both.evaluate();
  FakeStream.last.say(thrown(1, values(5)));
  await done;
  assert.deepEqual(both.faces, [[10], [5]]);
  assert.deepEqual(mixed.notes("info"), ["PushTray: throw 1 d6 into the tray."]);
});

test("a player who does not want to wait closes the window and gets digital dice", async () => {
  const foundry = await open();
  FakeStream.last.say(EMPTY);
  const roll = new Roll("2d6");
  const done = roll.evaluate();
  await settle();
  [...foundry.instances.values()][0].submit();
  await done;
  assert.deepEqual(roll.faces, [[3, 3]]);
  FakeStream.last.say(thrown(1, values(6, 6)));
  assert.equal(foundry.messages.length, 1, "dice that come later are a throw without a request");
});

test("of two browsers the one that asked first gets the dice", async () => {
  const foundry = await open({ user: "ann" });
  FakeStream.last.say(EMPTY);
  foundry.hear({ type: "waits", key: "gm/roll-resolver-1", at: 5 });
  const roll = new Roll("1d6");
  const done = roll.evaluate();
  await settle();
  FakeStream.last.say(thrown(1, values(6)));
  await settle();
  assert.deepEqual(roll.faces, [[]], "these are the other's");
  foundry.hear({ type: "done", key: "gm/roll-resolver-1", at: 5 });
  FakeStream.last.say(thrown(2, values(2)));
  await done;
  assert.deepEqual(roll.faces, [[2]]);
  const kinds = foundry.sent().map(({ type }) => type);
  assert.deepEqual(kinds, ["who", "waits", "done"]);
});

test("a browser that comes later hears who waits; one that has gone waits no more", async () => {
  const foundry = await open({ user: "ann" });
  FakeStream.last.say(EMPTY);
  const done = new Roll("1d6").evaluate();
  await settle();
  foundry.hear({ type: "who", key: "gm", at: 1 });
  assert.deepEqual(
    foundry.sent().map(({ type }) => type),
    ["who", "waits", "waits"],
  );
  foundry.hear({ type: "waits", key: "gm/x", at: 0 });
  foundry.leave("gm");
  FakeStream.last.say(thrown(1, values(2)));
  await done;
});

test("a throw without a request is written into the chat, by one browser", async () => {
  const foundry = await open();
  FakeStream.last.say(EMPTY);
  const dice = [...values(6), { ...die(2, "base", 2), sides: 8 }];
  FakeStream.last.say(thrown(1, dice, { asked: { owner: "Ann <b>", label: "Fight" } }));
  assert.deepEqual(foundry.messages, [
    {
      content: "<p>Ann &#60;b&#62;: Fight</p><p><strong>1 success</strong></p><p>Dice: base 6, base 2 (d8)</p>",
      speaker: { alias: "Ann <b>" },
    },
  ]);
  FakeStream.last.say({
    ...thrown(1, values(6, 6)),
    state: "resolved",
    outcome: { headline: { value: 2, word: "successes" } },
  });
  assert.match(foundry.messages[1].content, /<strong>2 successes<\/strong> \(after a push\)/);
  for (const how of [{ user: "ann" }, { chosen: { chat: false } }]) {
    const other = await open(how);
    FakeStream.last.say(EMPTY);
    FakeStream.last.say(thrown(1, values(6)));
    assert.deepEqual(other.messages, []);
  }
});

test("the chat stays silent while somebody elsewhere waits for these dice", async () => {
  const foundry = await open();
  FakeStream.last.say(EMPTY);
  foundry.hear({ type: "waits", key: "ann/roll-resolver-4", at: 5 });
  FakeStream.last.say(thrown(1, values(6)));
  assert.deepEqual(foundry.messages, []);
});

test("a tray that does not answer is told once, and asked again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const foundry = await open();
  assert.equal(FakeStream.last.url, "http://tray.lan:8000/api/events");
  FakeStream.last.say(EMPTY);
  for (const pause of [2000, 4000, 8000]) {
    const before = FakeStream.all.length;
    FakeStream.last.fail();
    assert.ok(FakeStream.last.isClosed);
    context.mock.timers.tick(pause - 1);
    assert.equal(FakeStream.all.length, before);
    context.mock.timers.tick(1);
    assert.equal(FakeStream.all.length, before + 1);
  }
  assert.deepEqual(foundry.notes("warn").length, 1);
  assert.match(
    foundry.notes("warn")[0],
    /tray at http:\/\/tray\.lan:8000 .* is http:\/\/vtt\.lan:30000 among web\.origins/,
  );
  // What lies there now was thrown before this page listened.
  FakeStream.last.say(thrown(9, values(6)));
  assert.deepEqual(foundry.messages, []);
  assert.deepEqual(foundry.notes("info"), ["PushTray: the tray answers."]);
});

test("a page that may not hear the tray says so and opens nothing", async () => {
  const foundry = await open({ href: "https://vtt.example/game" });
  assert.deepEqual(FakeStream.all, []);
  assert.equal(foundry.notes("error").length, 1);
  await open({ href: "https://vtt.example/game", chosen: { url: "http://127.0.0.1:8000" } });
  assert.equal(FakeStream.last.url, "http://127.0.0.1:8000/api/events");
});

test("without an address nothing is asked of anybody, and the method is there all the same", async () => {
  for (const url of ["", "tray.lan", "ftp://tray.lan", "javascript:alert(1)"]) {
    await open({ chosen: { url }, flags: {} });
    assert.deepEqual(FakeStream.all, []);
    assert.deepEqual(Object.keys(globalThis.CONFIG.Dice.fulfillment.methods), ["mersenne", "manual", "pushtray"]);
  }
});

test("an address may end with a slash, or have a path", async () => {
  await open({ chosen: { url: " http://tray.lan:8000/ " } });
  assert.equal(FakeStream.last.url, "http://tray.lan:8000/api/events");
  await open({ chosen: { url: "https://club.lan/tray/" } });
  assert.equal(FakeStream.last.url, "https://club.lan/tray/api/events");
});
