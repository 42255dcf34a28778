// Numbers, money and times as people read them.  Pure: language, currency and
// time zone come in as arguments.  Money is whole micros of a currency.

// a formatter takes longer to make than a hundred numbers to write
const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

function kept<T>(made: Map<string, T>, key: string, make: () => T): T {
  let found = made.get(key);
  if (!found) {
    found = make();
    made.set(key, found);
  }
  return found;
}

function formatter(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(numbers, language + JSON.stringify(options),
    () => new Intl.NumberFormat(language, options));
}

function dateFormatter(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(dates, language + JSON.stringify(options),
    () => new Intl.DateTimeFormat(language, options));
}

/** An amount with its currency; with `exact` up to six decimals, as bids have. */
export function money(language: string, micros: number | null | undefined, currency: string,
  exact = false): string {
  if (micros === null || micros === undefined) {
    return "–";
  }
  return formatter(language, {
    style: "currency",
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: exact ? 6 : 2,
  }).format(micros / 1e6);
}

export function count(language: string, n: number | null | undefined): string {
  return n === null || n === undefined ? "–" : formatter(language, {}).format(n);
}

/** 12,345 as 12.3K, for where there is little room. */
export function compact(language: string, n: number): string {
  return formatter(language, { notation: "compact", maximumSignificantDigits: 3 }).format(n);
}

/** A share of one in percent: 0.0213 is 2.13 %. */
export function percent(language: string, share: number | null | undefined): string {
  return share === null || share === undefined ? "–"
    : formatter(language, { style: "percent", maximumFractionDigits: 2 }).format(share);
}

export function factor(language: string, n: number | null | undefined): string {
  return n === null || n === undefined ? "–"
    : `${formatter(language, { maximumFractionDigits: 2 }).format(n)}×`;
}

export function dateTime(language: string, at: string | null | undefined, zone: string): string {
  if (!at) {
    return "–";
  }
  return dateFormatter(language, {
    dateStyle: "medium", timeStyle: "short", timeZone: zone,
  }).format(new Date(at));
}

/** A day such as 2026-11-20; it has no zone. */
export function day(language: string, date: string, style: "short" | "long" = "long"): string {
  return dateFormatter(language, style === "long"
    ? { dateStyle: "medium", timeZone: "UTC" }
    : { day: "numeric", month: "short", timeZone: "UTC" },
  ).format(new Date(`${date}T00:00:00Z`));
}

/** How long ago, in the largest unit that fits. */
export function ago(language: string, at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const units: [Intl.RelativeTimeFormatUnit, number][] =
    [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" })
    .format(Math.round(seconds / size), unit);
}

/**
 * What somebody typed as an amount, in micros; null when it is none.  Both
 * "1,299.50" and "1.299,50" are read: the last sign of the two is the decimal
 * one, unless it stands alone before exactly three digits more than once.
 */
export function parseMoney(text: string): number | null {
  const plain = text.replace(/[\s'’\u00a0\u202f]/g, "");
  if (!/^[0-9.,]+$/.test(plain) || !/[0-9]/.test(plain)) {
    return null;
  }
  const last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  const sign = last < 0 ? "" : plain[last];
  const repeated = sign !== "" && plain.indexOf(sign) !== last;
  const whole = (last < 0 || repeated ? plain : plain.slice(0, last)).replace(/[.,]/g, "");
  const part = last < 0 || repeated ? "" : plain.slice(last + 1);
  if (part.length > 6 || whole.length > 10) {
    return null;
  }
  return Number(whole || "0") * 1e6 + Number(part.padEnd(6, "0") || "0");
}

/** Micros as a form field has them: 0.40, 1500.00, 0.220001; never 1e3. */
export function plainMoney(micros: number | null | undefined): string {
  return micros === null || micros === undefined ? ""
    : (micros / 1e6).toFixed(6).replace(/0{1,4}$/, "");
}
