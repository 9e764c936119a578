/** ` (did you mean "x"?)` for a misspelt word, or nothing when no known word is close. */
export function nearest(word: string, known: readonly string[]): string {
  const name = nearestWord(word, known);
  return name === undefined ? '' : ` (did you mean "${name}"?)`;
}

/** Longer than any known name: longer words are not compared letter by letter. */
const longestName = 60;

/** The known word that this one was probably meant to be: a slip or two away, or the beginning of a longer name (`claude-code`). */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length > longestName) return undefined;
  let best: { name: string; slips: number } | undefined;
  for (const name of known) {
    const slips = slipsBetween(typed, name.toLowerCase());
    if (slips <= allowedSlips(typed, name) && slips < (best?.slips ?? Infinity)) best = { name, slips };
  }
  return best?.name ?? known.find((name) => name.length > 1 && typed.startsWith(`${name.toLowerCase()}-`));
}

/** Even people who mistype more than one letter of a word usually get the first one right. */
function allowedSlips(typed: string, name: string): number {
  return typed[0] === name[0]?.toLowerCase() ? Math.min(3, Math.max(1, Math.floor(name.length / 3))) : 1;
}

/** How many letters are missing, too many, wrong or in the wrong order. */
function slipsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed, swapped);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
