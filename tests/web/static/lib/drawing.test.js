import { markup } from "../browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { BODY_HEX, bodyHex, icon, iconPath, inkHex, isNews, paint } from "../../../../device/web/ui/lib/drawing.js";

test("a colour class is drawn in the colour of its dice, an unknown one in grey", () => {
  const colours = { base: "yellow", gear: "black" };
  assert.equal(bodyHex("base", colours), BODY_HEX.yellow);
  assert.equal(bodyHex("skill", colours), bodyHex(null));
  assert.deepEqual([inkHex("gear", colours), inkHex("base", colours)], ["#ffffff", "#17191c"]);
  assert.equal(paint("gear", colours), "--body: #26282b; --ink: #ffffff");
});

test("an icon is drawn with its path", () => {
  assert.ok(markup(icon("stay")).includes(iconPath("stay")));
});

test("only what is another than before is news", () => {
  const place = { dataset: {} };
  assert.deepEqual([isNews(place, 1, "a"), isNews(place, 1, "a"), isNews(place, 2, "a")], [true, false, true]);
});
