// What a form holds and what is wrong with it.  Pure: signals come from ui/form.

export type Values = Record<string, string>;

/** What of the values is not as it was: the body of a PATCH. */
export function changedValues<T extends Values>(before: T, now: T): Partial<T> {
  const out: Partial<T> = {};
  for (const name of Object.keys(now) as (keyof T)[]) {
    if (now[name] !== before[name]) {
      out[name] = now[name];
    }
  }
  return out;
}

/** Lines or words between commas, trimmed, without empty ones and repeats. */
export function list(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((word) => word.trim()).filter(Boolean))];
}

/** "/budget/daily" or "/events/0/value": the field of the form it belongs to. */
export function fieldOf(pointer: string, names: string[]): string | null {
  const words = pointer.split("/").slice(1);
  while (words.length) {
    const name = words.join(".");
    if (names.includes(name)) {
      return name;
    }
    words.pop();
  }
  return null;
}
