import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What a thread is said to belong to. */
export interface Place {
  projectName: string;
  parentBranchId: string;
}

/** A repository, its branch and its commit; what is not known is empty. */
export interface GitPlace {
  repo: string;
  branch: string;
  commit: string;
}

/** The git repository that a folder belongs to, read from its files: git itself may not be there, and takes its time. */
export function gitPlace(cwd: string): GitPlace {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const git = gitFolder(join(folder, '.git'));
    if (git !== undefined) return { repo: basename(folder), ...headOf(git) };
    if (folder === dirname(folder)) return { repo: '', branch: '', commit: '' };
  }
}

/** `.git` is a folder, or, in a worktree or a submodule, a file that names one. */
function gitFolder(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return readOr(join(path, 'HEAD')) === '' ? undefined : path;
    const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return named === undefined ? undefined : resolve(dirname(path), named.trim());
  } catch {
    return undefined;
  }
}

function headOf(git: string): Omit<GitPlace, 'repo'> {
  const head = readOr(join(git, 'HEAD')).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return { branch: '', commit: head };
  // A worktree shares the branches of the repository it was made from.
  const shared = resolve(git, readOr(join(git, 'commondir')).trim());
  const packed = readOr(join(shared, 'packed-refs'))
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  const commit = readOr(join(git, ref)).trim() || readOr(join(shared, ref)).trim() || (packed?.split(' ')[0] ?? '');
  return { branch: /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? '', commit };
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
