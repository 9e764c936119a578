/** With up to this many differing lines on either side, the smallest difference is searched for; with more, there are no counts. */
const mostCompared = 200;

/** How many lines were added and removed; undefined if that could only be guessed. */
export function changedLines(before: string, after: string): { additions: number; deletions: number } | undefined {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let same = 0;
  while (
    same < old.length - start &&
    same < now.length - start &&
    old[old.length - 1 - same] === now[now.length - 1 - same]
  )
    same += 1;
  const [gone, come] = [old.slice(start, old.length - same), now.slice(start, now.length - same)];
  if (gone.length === 0 || come.length === 0) return { additions: come.length, deletions: gone.length };
  if (gone.length > mostCompared || come.length > mostCompared) return undefined;
  const kept = longestCommon(gone, come);
  return { additions: come.length - kept, deletions: gone.length - kept };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function longestCommon(some: readonly string[], others: readonly string[]): number {
  let row = Array.from({ length: others.length + 1 }, () => 0);
  for (const line of some) {
    const next = [0];
    for (const [index, other] of others.entries())
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
