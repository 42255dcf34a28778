// Money, numbers and times: written and read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./source.mjs";

const { money, parseMoney, percent, plainMoney, ago, day, count } = await load("base/format.ts");

test("money is written with its currency, exact bids to the micro", () => {
  assert.equal(money("en", 1_234_567_890, "USD"), "$1,234.57");
  assert.equal(money("en", 220_001, "USD", true), "$0.220001");
  assert.equal(money("de", 12_500_000, "EUR").replace(/\s/g, " "), "12,50 €");
  assert.equal(money("en", null, "USD"), "–");
});

test("what somebody types is read in either notation", () => {
  const cases = [
    ["12.50", 12_500_000], ["12,50", 12_500_000], ["1,299.50", 1_299_500_000],
    ["1.299,50", 1_299_500_000], ["1.000.000", 1_000_000_000_000], ["0.000001", 1],
    [" 1 000 ", 1_000_000_000], ["7", 7_000_000], [".5", 500_000],
  ];
  for (const [text, micros] of cases) {
    assert.equal(parseMoney(text), micros, text);
  }
});

test("what is no amount is none", () => {
  for (const text of ["", "abc", "-1", "1e3", "1.1234567", "12 EUR", ".", "12345678901"]) {
    assert.equal(parseMoney(text), null, text);
  }
});

test("micros go through a field and come back", () => {
  for (const micros of [1, 220_000, 999_999, 1_500_000_000, 123_456_789]) {
    assert.equal(parseMoney(plainMoney(micros)), micros);
  }
  assert.equal(plainMoney(null), "");
  assert.equal(plainMoney(400_000), "0.40");
  assert.equal(plainMoney(1_500_000_000), "1500.00");
  assert.equal(plainMoney(220_001), "0.220001");
});

test("rates, counts, days and times ago", () => {
  assert.equal(percent("en", 0.02134), "2.13%");
  assert.equal(percent("en", null), "–");
  assert.equal(count("de", 12345), "12.345");
  assert.equal(day("en", "2026-03-01"), "Mar 1, 2026");
  const now = Date.parse("2026-11-20T12:00:00Z");
  assert.equal(ago("en", "2026-11-20T09:00:00Z", now), "3 hours ago");
  assert.equal(ago("en", "2026-11-19T11:00:00Z", now), "yesterday");
});
