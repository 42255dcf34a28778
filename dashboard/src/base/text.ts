// Texts of a language: {name} is filled in, a key ending in .one or .other is
// chosen by a number.  Pure.

export type Texts = Record<string, string>;
export type Values = Record<string, string | number>;

export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (hole, name: string) =>
    name in values ? String(values[name]) : hole);
}

export function plural(language: string, texts: Texts, key: string, n: number): string {
  const rule = new Intl.PluralRules(language).select(n);
  return texts[`${key}.${rule}`] ?? texts[`${key}.other`] ?? key;
}
