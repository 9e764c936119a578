import type { Git } from './git.ts';

export interface Change {
  path: string;
  operation: 'created' | 'modified' | 'deleted';
  /** Absent for binary files. */
  additions?: number;
  deletions?: number;
}

export interface Changes {
  changes: Change[];
  additions: number;
  deletions: number;
}

const operations: Readonly<Record<string, Change['operation']>> = { A: 'created', D: 'deleted' };
const mostChanges = 64 * 1024 * 1024;

/** What differs between two commits, file by file, without running any program that the repository configures. */
export async function changesBetween(git: Git, from: string, to: string): Promise<Changes> {
  const listed = await git.text(
    ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--numstat', '--raw', from, to],
    { maxBytes: mostChanges },
  );
  return readChanges(listed);
}

/** Parses the output of `diff-tree -z --numstat --raw`. */
export function readChanges(listed: string): Changes {
  const found = new Map<string, Change>();
  const fields = listed.split('\0');
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] ?? '';
    if (field.startsWith(':')) {
      const path = fields[(index += 1)] ?? '';
      found.set(path, { path, operation: operations[field.at(-1) ?? ''] ?? 'modified' });
      continue;
    }
    const [added = '', deleted = '', path = ''] = field.split('\t');
    const change = found.get(path);
    if (change === undefined || added === '-' || added === '') continue;
    change.additions = Number(added);
    change.deletions = Number(deleted);
  }
  const changes = [...found.values()];
  const sum = (key: 'additions' | 'deletions'): number =>
    changes.reduce((total, change) => total + (change[key] ?? 0), 0);
  return { changes, additions: sum('additions'), deletions: sum('deletions') };
}
