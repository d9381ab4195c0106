import { answerFetch } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { tableBook } from "../../../../device/web/ui/lib/table-data.js";

const SHEETS = { chosen: 4, carry: "ask", sheets: [{ id: 4, system: "hits-pool" }] };
const settle = () => new Promise((done) => setImmediate(done));

test("tiles and sheets are asked for when news say so, and no more often", async () => {
  const requests = answerFetch((path) => ({ body: path === "/api/sheets" ? SHEETS : { system: "hits-pool" } }));
  const book = tableBook(assert.fail);
  let news = 0;
  book.onNews(() => (news += 1));
  for (const revision of [1, 1, 2]) book.update({ system: "hits-pool", sheets_revision: revision });
  await settle();
  assert.deepEqual(
    requests.map(([, path]) => path),
    ["/api/tiles?system=hits-pool", "/api/sheets", "/api/sheets"],
  );
  assert.equal(news, 2, "an answer that a newer question has overtaken is no news");
  assert.equal(book.sheet.id, 4);
});

test("a sheet of other rules is not the one in use", async () => {
  answerFetch((path) => ({ body: path === "/api/sheets" ? SHEETS : { system: "die-code" } }));
  const book = tableBook(assert.fail);
  book.update({ system: "die-code", sheets_revision: 1 });
  await settle();
  assert.equal(book.sheets.chosen, 4);
  assert.equal(book.sheet, null);
});

test("a phone has its player's own sheet, whichever is in use, or none", async () => {
  const sheets = [
    { id: 4, system: "hits-pool" },
    { id: 5, system: "hits-pool" },
    { id: 6, system: "die-code" },
  ];
  answerFetch((path) => ({ body: path === "/api/sheets" ? { ...SHEETS, sheets } : { system: "hits-pool" } }));
  const book = tableBook(assert.fail);
  book.own = [5, 6];
  book.update({ system: "hits-pool", sheets_revision: 1 });
  await settle();
  assert.equal(book.sheet.id, 5);
  book.own = [6];
  assert.equal(book.sheet, null);
  book.own = null;
  assert.equal(book.sheet.id, 4);
});

test("what failed is asked for again with the next snapshot", async () => {
  let isUp = false;
  const requests = answerFetch(() => (isUp ? { body: { system: "die-code" } } : { status: 503 }));
  const book = tableBook(assert.fail);
  book.update({ system: "die-code", sheets_revision: 1 });
  await settle();
  assert.equal(book.tiles, null);
  isUp = true;
  book.update({ system: "die-code", sheets_revision: 1 });
  await settle();
  assert.equal(book.tiles.system, "die-code");
  assert.equal(requests.length, 4);
});

test("a tray without a table is asked nothing", async () => {
  const requests = answerFetch(() => ({}));
  tableBook(assert.fail).update({ system: "die-code" });
  await settle();
  assert.deepEqual(requests, []);
});

test("a refused request is reported and gives null", async () => {
  const toasts = [];
  answerFetch(() => ({ status: 409, body: { error: "No." } }));
  const book = tableBook((text) => toasts.push(text));
  assert.equal(await book.send("DELETE", "/api/series"), null);
  assert.deepEqual(toasts, ["No."]);
});
