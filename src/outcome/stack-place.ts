// In pieces: the engine notes each character of a word, and has no room for those of a word of megabytes.
const words = /[^\s()]{1,10000}/g;
const beginning = /\/|[A-Za-z]:\\|file:\/\//;

/** The first file and line that a stack trace names, such as `/a/b.ts:12:3` or `C:\a.ts:12`. */
export function placeInStack(stack: string): { file: string; line: number } | undefined {
  // Word by word, each matched from a single start: a trace is foreign text, and may be one long row of slashes.
  for (const [word] of stack.matchAll(words)) {
    const start = beginning.exec(word);
    if (start === null) continue;
    const path = word.slice(start.index);
    const least = start[0].length + 1;
    const found = /:(\d+)/.exec(path.slice(least));
    if (found !== null) return { file: path.slice(0, least + found.index), line: Number(found[1]) };
  }
  return undefined;
}
