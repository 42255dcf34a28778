// Where things lie in a chart.  Pure.

/** Round steps from 0 to at least `max`: 0, 50, 100, 150 for 128. */
export function ticks(max: number, steps = 4): number[] {
  if (!(max > 0)) {
    return [0, 1];
  }
  const raw = max / steps;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw;
  const out: number[] = [];
  for (let n = 0; n <= Math.ceil(max / step - 1e-9); n++) {
    out.push(Number((n * step).toPrecision(12)));
  }
  return out;
}

/** Which of n points lie under a label when at most `most` fit. */
export function labelled(n: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(n / Math.max(1, most)));
  return Array.from({ length: n }, (_, i) => i).filter((i) => i % every === 0);
}

/** The part of a long list that is seen: first row and how many. */
export function visible(top: number, height: number, row: number, n: number,
  spare = 8): { first: number; rows: number } {
  const first = Math.max(0, Math.min(n, Math.floor(top / row) - spare));
  const rows = Math.min(n - first, Math.ceil(height / row) + 2 * spare);
  return { first, rows: Math.max(0, rows) };
}
