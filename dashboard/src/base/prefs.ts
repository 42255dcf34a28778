// What this browser remembers: theme, language, whether somebody may be signed
// in.  Never a token.

import { signal } from "@preact/signals";
import de from "../../locales/de.json";
import en from "../../locales/en.json";
import { fill, plural, type Values } from "./text";

export type Key = keyof typeof en;
export type Theme = "system" | "light" | "dark";
export type Language = "en" | "de";

const texts = { en, de } as const satisfies Record<Language, Record<Key, string>>;

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`ads.${name}`);
  } catch {
    return null; // storage is switched off
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) {
      localStorage.removeItem(`ads.${name}`);
    } else {
      localStorage.setItem(`ads.${name}`, value);
    }
  } catch {
    // remembered until the page is left
  }
}

function firstLanguage(): Language {
  const kept = recall("language");
  const wanted = kept ? [kept] : navigator.languages;
  const found = wanted.map((name) => name.slice(0, 2)).find((name) => name in texts);
  return (found ?? "en") as Language;
}

function firstTheme(): Theme {
  const kept = recall("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export const language = signal<Language>(firstLanguage());
export const theme = signal<Theme>(firstTheme());
document.documentElement.lang = language.value;

export function setLanguage(wanted: Language): void {
  language.value = wanted;
  document.documentElement.lang = wanted;
  remember("language", wanted);
}

export function setTheme(wanted: Theme): void {
  theme.value = wanted;
  remember("theme", wanted === "system" ? null : wanted);
  if (wanted === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = wanted;
  }
}

/** The text of a key in the language that is chosen. */
export function t(key: Key, values?: Values): string {
  return fill(texts[language.value][key], values);
}

/** A text of what the API names, such as a status; its own word when unknown. */
export function named(group: string, word: string | null | undefined): string {
  if (!word) {
    return "–";
  }
  const found = (texts[language.value] as Record<string, string>)[`${group}.${word}`];
  return found ?? word.replaceAll("_", " ");
}

/** "1 product", "12 products": the keys are `key`.one and `key`.other. */
export function counted(key: string, n: number): string {
  const number = new Intl.NumberFormat(language.value).format(n);
  return fill(plural(language.value, texts[language.value], key, n), { n: number });
}
