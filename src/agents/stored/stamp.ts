import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of a file, and of those that belong to it: what a database was given last, and what sub-agents did. */
export function stampOfFile(path: string, found: Stats, others: readonly string[]): string {
  const beside = path.endsWith('.db') ? [`${path}-wal`] : others;
  return [stampOf(found), ...beside.map(stampAt)].join(' ');
}

export function stampOfFolder(path: string, names: readonly string[]): string {
  return names
    .toSorted()
    .map((name) => `${name} ${stampAt(join(path, name))}`)
    .join(' ');
}

function stampAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '-' : stampOf(found);
}

function stampOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}`;
}
