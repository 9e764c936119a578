import { safeEnd } from '../../redact/safe-cut.ts';

const mostLines = 20_000;
const longestLine = 300;

/** A hint for text that was not found: the line of the file most similar to its first line. */
export function nearestLine(text: string, wanted: string): string {
  const first = wanted.split('\n').find((line) => line.trim() !== '') ?? '';
  let best = { line: '', number: 0, likeness: 0.4 };
  for (const [index, line] of text.split('\n').slice(0, mostLines).entries()) {
    const likeness = likenessOf(line, first);
    if (likeness > best.likeness) best = { line, number: index + 1, likeness };
  }
  if (best.number === 0) return '; read the file again';
  const why = best.likeness === 1 && wanted.includes('\n') ? 'its first line stands at' : 'the nearest is';
  return `; ${why} line ${best.number}: ${JSON.stringify(best.line.slice(0, safeEnd(best.line, longestLine)))}`;
}

/** The share of character pairs that two lines have in common; white space does not count, so that wrong indentation is found. */
function likenessOf(a: string, b: string): number {
  if (a === b) return 1;
  const [left, right] = [pairs(a), pairs(b)];
  if (left.size === 0 || right.size === 0) return a.trim() !== '' && a.trim() === b.trim() ? 0.99 : 0;
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return Math.min(0.99, (2 * shared) / (left.size + right.size));
}

function pairs(line: string): Set<string> {
  const dense = line.slice(0, longestLine).replaceAll(/\s/g, '');
  return new Set(Array.from({ length: Math.max(0, dense.length - 1) }, (_, index) => dense.slice(index, index + 2)));
}
