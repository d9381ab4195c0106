import { answerFetch, speak } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { language, maybe, spoken, t } from "../../../../device/web/ui/lib/texts.js";

test("values stand in their places, lists are joined, a count chooses the form", () => {
  assert.equal(language, "en");
  assert.equal(t("list.last", { all: ["a", "b", "c"], last: "d" }), "a, b and c and d");
  assert.deepEqual(
    [1, 2].map((count) => t("page.dice", { count })),
    ["1 die", "2 dice"],
  );
  assert.equal(t("list.last", { all: "a" }), "a and {last}", "a value that is missing is seen");
});

test("a key that no catalogue has is itself, or nothing where people may make words up", () => {
  assert.equal(t("page.none.such"), "page.none.such");
  assert.equal(maybe("word.none_such"), undefined);
});

test("programs get English: only another language is named in an address", () => {
  assert.deepEqual(
    [spoken("/api/odds"), spoken("/api/odds", "de"), spoken("/api/rolls?limit=3", "de")],
    ["/api/odds", "/api/odds?lang=de", "/api/rolls?limit=3&lang=de"],
  );
});

test("a page in another language says its own texts", async () => {
  speak("de");
  const german = await import("../../../../device/web/ui/lib/texts.js?de");
  assert.equal(german.language, "de");
  assert.notEqual(german.t("page.close"), t("page.close"));
});

test("a page without its texts does not start in silence", async () => {
  answerFetch(() => ({ status: 404 }));
  await assert.rejects(import("../../../../device/web/ui/lib/texts.js?away"), /404/);
});
