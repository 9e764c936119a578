import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { newId } from '../new-id.ts';
import type { Dirty } from '../vocabulary.ts';
import { commitOf, type Repository } from './repository.ts';

/** The commit that work starts from. */
export interface Base {
  commit: string;
  /** The name it was asked for by: a branch, or the commit itself. */
  branchId: string;
  /** The checkout shows it as it is: nothing has to be checked out in a copy that has the same files. */
  isCheckedOut: boolean;
  /** It holds the uncommitted changes. */
  isSnapshot: boolean;
}

/** Changes that are not committed, untracked files among them; ignored ones do not count. */
export async function uncommitted({ git }: Repository): Promise<string[]> {
  const listed = await git.text(['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames']);
  return listed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
}

/** The commit of a name, or of the checkout, with or without what is not committed, as asked. */
export async function findBase(repository: Repository, { from, dirty }: { from?: string | undefined; dirty: Dirty }): Promise<Base> {
  const { head, branch } = repository;
  if (from !== undefined && from !== branch && from !== 'HEAD') {
    const commit = await commitOf(repository, from);
    return { commit, branchId: from, isCheckedOut: false, isSnapshot: false };
  }
  const branchId = branch ?? head ?? '';
  const changed = await uncommitted(repository);
  if (head === undefined && dirty !== 'include')
    throw new Failure(
      'input',
      'this repository has no commit yet; commit first, or use --dirty include to start from the files as they are',
    );
  if (changed.length > 0 && dirty === 'refuse') throw new Failure('input', refusal(changed));
  if (head === undefined || (changed.length > 0 && dirty === 'include'))
    return { commit: await snapshot(repository), branchId, isCheckedOut: true, isSnapshot: true };
  return { commit: head, branchId, isCheckedOut: changed.length === 0, isSnapshot: false };
}

function refusal(changed: readonly string[]): string {
  const shown = changed.slice(0, 3).join(', ');
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : '';
  return `there are uncommitted changes (${shown}${more}); commit them, or choose --dirty include (work on them) or --dirty ignore (work without them)`;
}

/** A commit of all that is there, made without touching the index, a file or a branch. */
async function snapshot({ git, gitDir, head }: Repository): Promise<string> {
  const index = join(tmpdir(), `runwire-index-${newId()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    // With the times of the real one, unchanged files need not be read again.
    await copyFile(join(gitDir, 'index'), index).catch(() => {});
    await git.text(['add', '-A', '--ignore-errors'], { env });
    const tree = await git.text(['write-tree'], { env });
    return await commitTree(git, tree, head === undefined ? [] : [head], 'Uncommitted changes');
  } finally {
    await rm(index, { force: true });
  }
}

/** A commit of a tree; who has no name of their own commits under ours. */
export async function commitTree(git: Repository['git'], tree: string, parents: readonly string[], message: string): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
  const named = await git.try(['config', 'user.email']);
  const ours = {
    GIT_AUTHOR_NAME: 'Runwire',
    GIT_AUTHOR_EMAIL: 'runwire@localhost',
    GIT_COMMITTER_NAME: 'Runwire',
    GIT_COMMITTER_EMAIL: 'runwire@localhost',
  };
  return git.text(args, { env: named === undefined ? ours : {} });
}
