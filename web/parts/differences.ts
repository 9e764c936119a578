/** A stretch that two lists have in common, or that only the first or only the second has. */
export interface Change {
  kind: 'same' | 'removed' | 'added';
  value: readonly string[];
}

/** Lists with less in common are not worth the time: each is one stretch of its own. */
const mostEdits = 1500;

/** The shortest way from one list to another; what was removed stands before what was added in its place. */
export function differences(a: readonly string[], b: readonly string[], most = mostEdits): Change[] {
  let [start, endA, endB] = [0, a.length, b.length];
  while (start < endA && start < endB && a[start] === b[start]) start += 1;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const middle = pairsOf(a.slice(start, endA), b.slice(start, endB), most).map(
    ([x, y]) => [x + start, y + start] as const,
  );
  const changes: Change[] = [];
  const push = (kind: Change['kind'], value: readonly string[]): void => {
    if (value.length > 0) changes.push({ kind, value });
  };
  push('same', a.slice(0, start));
  let [x, y, same] = [start, start, start];
  for (const [nextX, nextY] of [...middle, [endA, endB] as const]) {
    if (nextX > x || nextY > y) {
      push('same', a.slice(same, x));
      push('removed', a.slice(x, nextX));
      push('added', b.slice(y, nextY));
      same = nextX;
    }
    [x, y] = [nextX + 1, nextY + 1];
  }
  push('same', a.slice(same, endA));
  push('same', a.slice(endA));
  return joined(changes);
}

/** Neighbours of one kind are one stretch. */
function joined(changes: readonly Change[]): Change[] {
  const found: Change[] = [];
  for (const change of changes) {
    const last = found.at(-1);
    if (last?.kind === change.kind) found[found.length - 1] = { ...last, value: [...last.value, ...change.value] };
    else found.push(change);
  }
  return found;
}

/** The places of what both have, in order: Myers' greedy search for the fewest edits. */
function pairsOf(a: readonly string[], b: readonly string[], most: number): (readonly [x: number, y: number])[] {
  if (a.length === 0 || b.length === 0) return [];
  const limit = Math.min(a.length + b.length, most);
  const ends = new Int32Array(2 * limit + 3);
  const trail: Int32Array[] = [];
  const middle = limit + 1;
  for (let edits = 0; edits <= limit; edits += 1) {
    trail.push(ends.slice(middle - edits - 1, middle + edits + 2));
    for (let line = -edits; line <= edits; line += 2) {
      const isDown =
        line === -edits || (line !== edits && (ends[middle + line - 1] ?? 0) < (ends[middle + line + 1] ?? 0));
      let x = isDown ? (ends[middle + line + 1] ?? 0) : (ends[middle + line - 1] ?? 0) + 1;
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1;
      ends[middle + line] = x;
      if (x >= a.length && x - line >= b.length) return walkBack(trail, a.length, b.length);
    }
  }
  return [];
}

function walkBack(trail: readonly Int32Array[], endX: number, endY: number): (readonly [x: number, y: number])[] {
  const pairs: (readonly [x: number, y: number])[] = [];
  let [x, y] = [endX, endY];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const ends = trail[edits];
    const at = (line: number): number => ends?.[line + edits + 1] ?? 0;
    const line = x - y;
    const isDown = line === -edits || (line !== edits && at(line - 1) < at(line + 1));
    const fromX = edits === 0 ? 0 : isDown ? at(line + 1) : at(line - 1) + 1;
    const fromY = fromX - line;
    while (x > fromX && y > fromY) {
      [x, y] = [x - 1, y - 1];
      pairs.push([x, y]);
    }
    if (edits === 0) break;
    if (isDown) y -= 1;
    else x -= 1;
  }
  return pairs.toReversed();
}

const parts = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** A line in words, spaces and signs. */
export function wordsOf(line: string): string[] {
  return line.match(parts) ?? [];
}

const context = 3;

/** Two texts as the lines of a diff, with some lines around each change. */
export function diffLines(before: string, after: string): string {
  const lines: string[] = [];
  const changes = differences(linesOf(before), linesOf(after));
  const signs = { same: ' ', removed: '-', added: '+' } as const;
  for (const [index, { kind, value }] of changes.entries()) {
    const [head, tail] = [index === 0 ? 0 : context, index === changes.length - 1 ? 0 : context];
    const shown =
      kind !== 'same' || value.length <= head + tail
        ? value
        : [...value.slice(0, head), ...value.slice(value.length - tail)];
    for (const line of shown) lines.push(signs[kind] + line);
  }
  return changes.every(({ kind }) => kind === 'same') ? '' : lines.join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
