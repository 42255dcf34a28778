// Tables as RFC 4180, safe against spreadsheets that run formulas.  Pure.

export function cell(value: unknown): string {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) {
    text = `'${text}`;
  }
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(rows: unknown[][]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
