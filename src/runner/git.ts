import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export interface Place {
  projectName: string;
  parentBranchId: string;
}

/** The git repository that a folder belongs to: its name and its current branch; empty where there is none. */
export function gitPlace(cwd: string): Place {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const head = readHead(join(folder, '.git'));
    if (head !== undefined)
      return { projectName: basename(folder), parentBranchId: /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim() ?? '' };
    if (folder === dirname(folder)) return { projectName: '', parentBranchId: '' };
  }
}

/** `.git` is a folder, or, in a worktree or a submodule, a file that names one. */
function readHead(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'HEAD'), 'utf8');
    const named = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
    return named === undefined ? undefined : readFileSync(join(resolve(dirname(git), named.trim()), 'HEAD'), 'utf8');
  } catch {
    return undefined;
  }
}
