// What is not the same in two objects, field by field.  Pure.

export interface Change {
  name: string;
  before: unknown;
  after: unknown;
}

type Fields = Record<string, unknown> | null;

export function changes(before: Fields, after: Fields): Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].sort()
    .map((name) => ({ name, before: before?.[name] ?? null, after: after?.[name] ?? null }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}
