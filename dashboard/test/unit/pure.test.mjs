// Addresses, dates, lists, CSV, curl, scales: what screens compute.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./source.mjs";

const { match, address, score } = await load("base/match.ts");
const dates = await load("base/dates.ts");
const { fieldOf, list } = await load("base/form.ts");
const { csv } = await load("base/csv.ts");
const { curl } = await load("api/curl.ts");
const { ticks, visible, labelled } = await load("base/scale.ts");
const { changes } = await load("base/diff.ts");
const { fill, plural } = await load("base/text.ts");

test("an address fits its screen and says its parts", () => {
  assert.deepEqual(match("/campaigns/:id/edit", "/campaigns/a%20b/edit"), { id: "a b" });
  assert.deepEqual(match("/", "/"), {});
  for (const path of ["/campaigns", "/campaigns/", "/campaigns/1/2/3"]) {
    assert.equal(match("/campaigns/:id", path), null, path);
  }
  assert.equal(address("/x", { q: "a b", none: "", gone: null }), "/x?q=a+b");
});

test("the palette finds by beginning, word and letters", () => {
  assert.ok(score("Reports", "rep") > score("New reports", "rep"));
  assert.ok(score("New reports", "rep") > score("Theme: grep", "rep"));
  assert.equal(score("Campaigns", "cmp"), 1);
  assert.equal(score("Campaigns", "xyz"), 0);
});

test("ranges of days keep their length, over months and leap days", () => {
  assert.deepEqual(dates.before({ from: "2024-03-01", to: "2024-03-07" }),
    { from: "2024-02-23", to: "2024-02-29" });
  assert.equal(dates.length({ from: "2026-01-01", to: "2026-12-31" }), 365);
  assert.equal(dates.days(dates.lastDays("2026-11-02", 7))[0], "2026-10-27");
  assert.equal(dates.isDay("2026-13-01"), false);
  assert.equal(dates.dayIn("Asia/Tokyo", Date.parse("2026-11-20T20:00:00Z")), "2026-11-21");
});

test("a pointer of the API finds its field", () => {
  const names = ["name", "budget.daily", "targeting.keywords"];
  assert.equal(fieldOf("/budget/daily", names), "budget.daily");
  assert.equal(fieldOf("/targeting/keywords/3", names), "targeting.keywords");
  assert.equal(fieldOf("/unknown", names), null);
});

test("lists are words between commas or lines, once each", () => {
  assert.deepEqual(list("US, DE-BE\n\nUS, "), ["US", "DE-BE"]);
});

test("CSV is safe against formulas and quotes what must be", () => {
  assert.equal(csv([["a", 'say "x"', "=1+1", -3, null]]), `a,"say ""x""",'=1+1,-3,\r\n`);
});

test("curl keeps the key a variable and quotes for the shell", () => {
  const line = curl("http://ads", { method: "POST", url: "/v1/x", body: `{"n":"it's"}` });
  assert.match(line, /\$ADS_KEY/);
  assert.match(line, /'\{"n":"it'\\''s"\}'/);
});

test("scales are round and hold the largest value", () => {
  assert.deepEqual(ticks(128), [0, 50, 100, 150]);
  for (const max of [0.003, 1, 7, 99, 101, 12345]) {
    assert.ok(ticks(max).at(-1) >= max, String(max));
  }
  assert.deepEqual(ticks(0), [0, 1]);
  assert.ok(labelled(400, 8).length <= 8);
});

test("of a long list only what is seen, and some more, is in the page", () => {
  assert.deepEqual(visible(0, 480, 48, 5000, 8), { first: 0, rows: 26 });
  const end = visible(48 * 4990, 480, 48, 5000, 8);
  assert.equal(end.first + end.rows, 5000);
  assert.deepEqual(visible(0, 480, 48, 0), { first: 0, rows: 0 });
});

test("the log shows what changed only", () => {
  assert.deepEqual(changes({ a: 1, b: 2 }, { a: 1, b: 3, c: 4 }),
    [{ name: "b", before: 2, after: 3 }, { name: "c", before: null, after: 4 }]);
  assert.deepEqual(changes(null, { a: 1 }), [{ name: "a", before: null, after: 1 }]);
});

test("texts are filled in; a number chooses its form", () => {
  assert.equal(fill("{a} of {b}", { a: 1 }), "1 of {b}");
  const texts = { "x.one": "one", "x.other": "many" };
  assert.equal(plural("en", texts, "x", 1), "one");
  assert.equal(plural("de", texts, "x", 0), "many");
});
