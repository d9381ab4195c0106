import { answerFetch, clock, FakeEventSource, holdClock } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, askSeen, listen } from "../../../../device/web/ui/lib/api.js";

holdClock();
const heard = [];
const losses = [];
const hear = listen(
  (snapshot) => heard.push(snapshot.version),
  (lost) => losses.push(lost),
);

test("an answer is what was asked for", async () => {
  const requests = answerFetch(() => ({ body: { version: 1 } }));
  assert.deepEqual(await ask("PUT", "/api/pool", { base: 2 }), { ok: true, snapshot: { version: 1 } });
  assert.deepEqual(requests, [["PUT", "/api/pool", { base: 2 }]]);
});

test("a refusal comes with its reason and its words, or with its status", async () => {
  answerFetch(() => ({ status: 409, body: { reason: "stale", error: "Others lie there." } }));
  assert.deepEqual(await ask("POST", "/api/push"), { ok: false, reason: "stale", text: "Others lie there." });
  answerFetch(() => ({ status: 500, body: {} }));
  assert.match((await ask("POST", "/api/push")).text, /500/);
});

test("an answer that breaks off is none, and a refusal that does is still one", async () => {
  const broken = () => Promise.reject(new TypeError("the connection broke"));
  answerFetch(() => ({ json: broken }));
  assert.equal((await ask("GET", "/api/rolls")).reason, "no_answer");
  answerFetch(() => ({ status: 409, json: broken }));
  const refused = await ask("POST", "/api/push");
  assert.equal(refused.ok, false);
  assert.match(refused.text, /409/);
});

test("a tray that does not answer, and one that answers too late, are told apart", async () => {
  answerFetch(() => Promise.reject(new TypeError("no network")));
  const gone = await ask("GET", "/api/odds");
  assert.equal(gone.reason, "no_answer");
  answerFetch(() => Promise.reject(new DOMException("late", "TimeoutError")));
  const late = await ask("GET", "/api/odds");
  assert.equal(late.reason, "no_answer");
  assert.ok(late.text.startsWith(gone.text) && late.text.length > gone.text.length);
});

test("snapshots are shown in their order, and an older one never after a newer one", () => {
  const source = FakeEventSource.last;
  source.say("open");
  source.say("message", { version: 7 });
  hear({ version: 6 });
  hear({ version: 8 });
  hear({ anything: "else" });
  assert.deepEqual(heard, [7, 8]);
  // A restarted tray counts from another number.
  source.say("open");
  source.say("message", { version: 2 });
  assert.deepEqual(heard, [7, 8, 2]);
});

test("a page reloads where a tray that comes back has other files", async () => {
  let reloads = 0;
  globalThis.location = { reload: () => (reloads += 1) };
  const comeBack = async (answer) => {
    const requests = answerFetch(answer);
    FakeEventSource.last.say("open");
    FakeEventSource.last.say("message", { version: 2 });
    await new Promise(setImmediate);
    assert.deepEqual(
      requests.map(([method, path]) => [method, path.endsWith("/lib/api.js")]),
      [["HEAD", true]],
    );
    return reloads;
  };
  assert.equal(await comeBack(() => ({ headers: { "cache-control": "public, max-age=31536000, immutable" } })), 0);
  assert.equal(await comeBack(() => Promise.reject(new TypeError("gone again"))), 0);
  assert.equal(await comeBack(() => ({ status: 503 })), 0);
  assert.equal(await comeBack(() => ({ headers: { "cache-control": "no-cache" } })), 1);
});

test("a request about dice carries the version shown, and a stale one brings the latest state", async () => {
  heard.length = 0;
  const requests = answerFetch((path) =>
    path === "/api/state" ? { body: { version: 9 } } : { status: 409, body: { reason: "stale", error: "Stale." } },
  );
  await askSeen("PATCH", "/api/dice/3", { value: 4 });
  await askSeen("DELETE", "/api/dice/3/correction");
  assert.deepEqual(requests[0], ["PATCH", "/api/dice/3", { value: 4, version: 2 }]);
  assert.equal(requests[2][1], "/api/dice/3/correction?version=9");
  assert.deepEqual(heard, [9], "what is shown already is not drawn again");
});

test("while the tray is not heard nothing but questions goes out", async () => {
  await clock.turn(60_000);
  assert.deepEqual(losses, [false, true]);
  const requests = answerFetch(() => ({ body: {} }));
  assert.equal((await ask("POST", "/api/push")).reason, "lost");
  assert.equal((await ask("GET", "/api/state")).ok, true);
  assert.deepEqual(
    requests.map(([method]) => method),
    ["GET"],
  );
});
