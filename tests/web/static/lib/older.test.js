import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";

const script = readFileSync(new URL("../../../../device/web/ui/lib/older.js", import.meta.url), "utf8");

test("a browser of 2021 gets what it lacks, and one that has it keeps its own", () => {
  const older = createContext({
    AbortController,
    AbortSignal: class {},
    setTimeout: (/** @type {() => void} */ act) => act(),
  });
  const run = (/** @type {string} */ code) => runInContext(code, older);
  run("delete Array.prototype.at; delete String.prototype.at; delete String.prototype.replaceAll");
  run(script);
  assert.equal(run("[1, 2, 3].at(-1)"), 3);
  assert.equal(run("'abc'.at(-2)"), "b");
  assert.equal(run("[].at(-1)"), undefined);
  assert.equal(run("'a_b_c'.replaceAll('_', ' ')"), "a b c");
  assert.equal(run("AbortSignal.timeout(15).aborted"), true);
  assert.equal(run("Object.keys([1]).length"), 1);
  const newer = createContext({ AbortSignal });
  assert.equal(runInContext(`const own = Array.prototype.at; ${script}; own === Array.prototype.at`, newer), true);
});
