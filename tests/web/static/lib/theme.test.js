import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const script = readFileSync(new URL("../../../../device/web/ui/lib/theme.js", import.meta.url), "utf8");

function dressed({ isDark = false, theme = null, kiosk = null, search = "", isStorageOff = false }) {
  const dataset = {};
  const stored = {};
  const storage = (kept) => ({
    getItem: () => {
      if (isStorageOff) throw new Error("off");
      return kept;
    },
    setItem: (key, value) => {
      if (isStorageOff) throw new Error("off");
      stored[key] = value;
    },
  });
  const system = { matches: isDark, addEventListener: (_, listener) => (system.change = listener) };
  runInNewContext(script, {
    document: { documentElement: { dataset } },
    matchMedia: () => system,
    localStorage: storage(theme),
    sessionStorage: storage(kiosk),
    location: { search },
    URLSearchParams,
    addEventListener: () => {},
  });
  return { dataset, stored, system };
}

test("the system's light or dark holds until somebody chooses", () => {
  assert.equal(dressed({ isDark: true }).dataset.theme, "dark");
  assert.equal(dressed({ isDark: true, theme: "light" }).dataset.theme, "light");
  assert.equal(dressed({ theme: "purple" }).dataset.theme, "light");
  assert.equal(dressed({ isDark: true, isStorageOff: true }).dataset.theme, "dark");
  const { dataset, system } = dressed({});
  system.matches = true;
  system.change();
  assert.equal(dataset.theme, "dark");
});

test("a kiosk's pages remember that they are one", () => {
  assert.ok(!("kiosk" in dressed({}).dataset));
  const first = dressed({ search: "?kiosk" });
  assert.deepEqual([first.dataset.kiosk, first.stored], ["", { kiosk: "yes" }]);
  assert.equal(dressed({ kiosk: "yes" }).dataset.kiosk, "");
  assert.equal(dressed({ search: "?kiosk", isStorageOff: true }).dataset.kiosk, "");
});
