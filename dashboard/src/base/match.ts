// Addresses of screens: "/campaigns/:id" fits "/campaigns/42" and says {id: "42"}.
// Pure.

export type Parts = Record<string, string>;

export function match(pattern: string, path: string): Parts | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) {
    return null;
  }
  const parts: Parts = {};
  for (const [n, want] of wanted.entries()) {
    const has = given[n];
    if (want.startsWith(":")) {
      if (has === "") {
        return null;
      }
      parts[want.slice(1)] = decodeURIComponent(has);
    } else if (want !== has) {
      return null;
    }
  }
  return parts;
}

/** "/campaigns" and what is not empty of {q: "printer"}: "/campaigns?q=printer". */
export function address(path: string, query: Record<string, string | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value) {
      search.set(name, value);
    }
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** How well a command fits what was typed: 0 not at all, more is better. */
export function score(label: string, typed: string): number {
  const text = label.toLowerCase();
  const want = typed.trim().toLowerCase();
  if (want === "") {
    return 1;
  }
  const at = text.indexOf(want);
  if (at === 0) {
    return 4;
  }
  if (at > 0) {
    return /\s/.test(text[at - 1]) ? 3 : 2;
  }
  let from = 0;
  for (const letter of want) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) {
      return 0;
    }
  }
  return 1;
}
