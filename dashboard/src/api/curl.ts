// A request as a line of shell that does the same.  Pure.

export interface Line {
  method: string;
  url: string;
  body: string | null;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The key stays a variable: what is copied can be pasted anywhere. */
export function curl(origin: string, line: Line): string {
  const words = ["curl"];
  if (line.method !== "GET") {
    words.push("-X", line.method);
  }
  words.push(quoted(origin + line.url), "-H", '"Authorization: Bearer $ADS_KEY"');
  if (line.body !== null) {
    words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(line.body));
  }
  return words.join(" ");
}
