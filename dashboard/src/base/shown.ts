// The formats of base/format in the chosen language, for screens.

import { account } from "../api/session";
import * as format from "./format";
import { language } from "./prefs";

export const zone = () => account.value?.timezone ?? "UTC";
export const currency = () => account.value?.currency ?? "USD";
export const money = (micros: number | null | undefined, of = currency()) =>
  format.money(language.value, micros, of);
export const bid = (micros: number | null | undefined, of = currency()) =>
  format.money(language.value, micros, of, true);
export const count = (n: number | null | undefined) => format.count(language.value, n);
export const compact = (n: number) => format.compact(language.value, n);
export const percent = (n: number | null | undefined) => format.percent(language.value, n);
export const factor = (n: number | null | undefined) => format.factor(language.value, n);
export const time = (at: string | null | undefined) =>
  format.dateTime(language.value, at, zone());
export const day = (date: string, style?: "short" | "long") =>
  format.day(language.value, date, style);
export const ago = (at: string) => format.ago(language.value, at, Date.now());

/** How much more than before: 0.12 for 112 after 100; null when there is no before. */
export function growth(now: number | null | undefined, before: number | null | undefined):
  number | null {
  return now === null || now === undefined || !before ? null
    : Math.round(100 * (now / before - 1)) / 100;
}

export function growthText(change: number | null): string | undefined {
  return change === null ? undefined
    : new Intl.NumberFormat(language.value, {
      style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero",
    }).format(change);
}
