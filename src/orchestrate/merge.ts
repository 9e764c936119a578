import { Failure } from '../failure.ts';
import { commitTree } from '../workspace/base.ts';
import type { Repository } from '../workspace/repository.ts';

/** Merges two commits into one tree without touching a file, or returns the conflicting paths. */
export async function mergedTree(
  { git }: Repository,
  ours: string,
  theirs: string,
): Promise<{ tree: string } | { conflicts: string[] }> {
  const { code, stdout, stderr } = await git.ask([
    'merge-tree',
    '--write-tree',
    '--name-only',
    '-z',
    '--no-messages',
    ours,
    theirs,
  ]);
  const [tree = '', ...paths] = stdout.toString().split('\0');
  if (code === 0) return { tree };
  if (code === 1) return { conflicts: [...new Set(paths.filter((path) => path !== ''))] };
  throw new Failure('config', `git merge-tree: ${stderr.trim().split('\n')[0] ?? ''} (git 2.38 or newer is needed)`);
}

/** Merges branches one after another; throws, naming the files, where two conflict. */
export async function mergeAll(
  repository: Repository,
  branches: readonly { id: string; commit: string }[],
  message: string,
): Promise<string> {
  const [first, ...others] = branches;
  if (first === undefined) throw new Failure('input', 'nothing to merge');
  let current = first.commit;
  for (const { id, commit } of others) {
    const merged = await mergedTree(repository, current, commit);
    if ('conflicts' in merged)
      throw new Failure('tool', `${id} does not fit: conflicts in ${merged.conflicts.slice(0, 20).join(', ')}`);
    current = await commitTree(repository.git, merged.tree, [current, commit], message);
  }
  return current;
}
