// What is wrong with the languages: a key or a {placeholder} that one has and
// another has not, an empty text.  English is the one that others follow.

const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort().join();

export function faults(languages) {
  const { en, ...others } = languages;
  const wrong = [];
  for (const [name, texts] of Object.entries(languages)) {
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text !== "string" || text.trim() === "") {
        wrong.push(`${name}: ${key} is empty`);
      }
    }
  }
  for (const [name, texts] of Object.entries(others)) {
    for (const key of Object.keys(en)) {
      if (!(key in texts)) {
        wrong.push(`${name}: ${key} is missing`);
      } else if (holes(en[key]) !== holes(texts[key])) {
        wrong.push(`${name}: ${key} has other placeholders`);
      }
    }
    for (const key of Object.keys(texts)) {
      if (!(key in en)) {
        wrong.push(`${name}: ${key} is not in English`);
      }
    }
  }
  return wrong;
}
