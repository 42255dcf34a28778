// Files that the browser saves, and the clipboard.

import { send } from "../api/client";

export function save(name: string, text: BlobPart, type = "text/csv"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A list or report of the API as CSV, with all pages that it has. */
export async function saveCsv(name: string, to: string): Promise<void> {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const page: string = cursor
      ? `${to}${to.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}` : to;
    const answer = await send("GET", page, { accept: "text/csv" });
    const text = await answer.text();
    parts.push(parts.length ? text.slice(text.indexOf("\n") + 1) : text);
    cursor = answer.headers.get("X-Next-Cursor");
  } while (cursor);
  save(name, parts.join(""));
}

export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
