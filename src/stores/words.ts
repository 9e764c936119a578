// Both databases get words, not text, because their parsers split addresses, dashes and accents differently.
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;
const longest = 64;
/** PostgreSQL holds at most a megabyte of distinct words for one text. */
const maxBytes = 512 * 1024;

/** The distinct words of some texts, in lower case; for scripts without spaces, every character. */
export function wordsOf(...texts: readonly string[]): string[] {
  const words = new Set<string>();
  let bytes = 0;
  for (const text of texts) {
    for (const [found] of text.toLowerCase().matchAll(word)) {
      const kept = found.slice(0, longest).toWellFormed();
      if (words.has(kept)) continue;
      bytes += Buffer.byteLength(kept);
      if (bytes > maxBytes) return [...words];
      words.add(kept);
    }
  }
  return [...words];
}

export interface Term {
  word: string;
  /** Whether any word with this prefix matches. */
  prefix: boolean;
}

/** The terms of a search, all of which must match. */
export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  for (const part of query.split(/\s+/)) {
    const words = wordsOf(part);
    for (const [index, each] of words.entries())
      terms.push({ word: each, prefix: part.endsWith('*') && index === words.length - 1 });
  }
  return terms;
}
