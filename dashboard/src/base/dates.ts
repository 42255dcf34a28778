// Days as the API has them, "2026-11-20", and ranges of them.  Pure.

export interface Range {
  from: string;
  to: string;
}

const dayMs = 86_400_000;

export function isDay(text: string | null | undefined): text is string {
  return !!text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

export function addDays(day: string, n: number): string {
  return new Date(Date.parse(day) + n * dayMs).toISOString().slice(0, 10);
}

/** Days from one to the other, both included. */
export function length(range: Range): number {
  return Math.round((Date.parse(range.to) - Date.parse(range.from)) / dayMs) + 1;
}

/** The day that a time is in, in a zone. */
export function dayIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" })
    .format(new Date(at));
}

export function lastDays(today: string, n: number): Range {
  return { from: addDays(today, 1 - n), to: today };
}

/** The range of the same length that ends where this one begins. */
export function before(range: Range): Range {
  const to = addDays(range.from, -1);
  return { from: addDays(to, 1 - length(range)), to };
}

/** Every day of a range: steps without any event have no row in a report. */
export function days(range: Range): string[] {
  return Array.from({ length: Math.max(0, length(range)) }, (_, n) => addDays(range.from, n));
}
