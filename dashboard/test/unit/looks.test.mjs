// Colours have the contrast that WCAG AA asks for, in both themes; languages
// have the same keys; nothing that the policy forbids is in the files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faults } from "../../locales.mjs";

const root = new URL("../../", import.meta.url);
const read = (name) => readFileSync(new URL(name, root), "utf8");
const css = read("src/style.css");

const colours = Object.fromEntries([...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)]
  .map(([, name, light, dark]) => [name, { light, dark }]));

function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
  return (x + 0.05) / (y + 0.05);
}

const grounds = ["ground", "card", "raised", "sunken"];
const pairs = [
  ...["text", "soft", "faint", "accent", "bad"].flatMap((fore) => grounds.map((back) => [fore, back, 4.5])),
  ["accent", "accent-ground", 4.5], ["text", "accent-ground", 4.5], ["on-accent", "accent", 4.5],
  ...["good", "warn", "bad"].flatMap((tone) => [[tone, `${tone}-ground`, 4.5],
    ["text", `${tone}-ground`, 4.5], ["soft", `${tone}-ground`, 4.5]]),
  ...["card", "raised"].map((back) => ["line-strong", back, 3]),
];

for (const theme of ["light", "dark"]) {
  test(`text can be read in the ${theme} theme`, () => {
    for (const [fore, back, least] of pairs) {
      const has = contrast(colours[fore][theme], colours[back][theme]);
      assert.ok(has >= least, `${fore} on ${back}: ${has.toFixed(2)}, at least ${least}`);
    }
  });
}

test("both languages have the same keys and placeholders", () => {
  assert.deepEqual(faults({
    en: JSON.parse(read("locales/en.json")), de: JSON.parse(read("locales/de.json")),
  }), []);
});

test("a key that is missing, empty or has other holes is found", () => {
  assert.deepEqual(faults({ en: { a: "x {n}", b: "y" }, de: { a: "x {m}", c: "" } }), [
    "de: c is empty", "de: a has other placeholders", "de: b is missing", "de: c is not in English",
  ]);
});

test("the page has nothing inline and loads nothing from elsewhere", () => {
  const page = read("static/index.html");
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|\bon\w+=|\bstyle=|https?:/);
});
