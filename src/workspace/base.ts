import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { newId } from '../ids/new-id.ts';
import type { Dirty } from '../words/vocabulary.ts';
import { commitOf, type Repository } from './repository.ts';
import { taking } from './take.ts';
import { shellScript } from '../files/shell-script.ts';

/** The commit that work starts from. */
export interface Base {
  commit: string;
  /** The name that it was requested by: a branch, or the commit itself. */
  branchId: string;
  /** The checkout is known to match it: nothing has to be checked out in a copy that has the same files. */
  isCheckedOut: boolean;
  /** It holds the uncommitted changes. */
  isSnapshot: boolean;
}

/** Changed and untracked files. What is uncommitted in a submodule is not looked for: git would ask that repository, with its own programs. */
export const statusOf = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty'];

/** Uncommitted changes, including untracked files but not ignored ones. */
async function uncommitted({ git }: Repository): Promise<string[]> {
  const listed = await git.sharedText([...statusOf, '--untracked-files=normal']);
  return listed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
}

export interface BaseAsk {
  from?: string | undefined;
  dirty: Dirty;
  /** Skips finding out whether the checkout matches it, which would mean looking at every file; default: false. */
  isElsewhere?: boolean;
  /** A temporary folder for a snapshot of uncommitted changes; it does not exist before or after. */
  folder?: string;
}

/** The commit that a name stands for, or that of the checkout, with or without uncommitted changes, as requested. */
export async function findBase(
  repository: Repository,
  { from, dirty, isElsewhere = false, folder = join(tmpdir(), `runwire-base-${newId()}`) }: BaseAsk,
): Promise<Base> {
  const { head, branch } = repository;
  // Where uncommitted changes do not matter, the commit id names the checkout as well.
  const isHere = from === undefined || from === branch || from === 'HEAD' || (from === head && dirty === 'ignore');
  if (!isHere) {
    const commit = await commitOf(repository, from);
    return { commit, branchId: from, isCheckedOut: false, isSnapshot: false };
  }
  const branchId = branch ?? head ?? '';
  if (head !== undefined && dirty === 'ignore' && isElsewhere)
    return { commit: head, branchId, isCheckedOut: false, isSnapshot: false };
  const changed = await uncommitted(repository);
  if (head === undefined && dirty !== 'include')
    throw new Failure(
      'input',
      'this repository has no commit yet; commit first, or use --dirty include to start from the files as they are',
    );
  if (changed.length > 0 && dirty === 'refuse') throw new Failure('input', refusal(changed));
  if (head === undefined || (changed.length > 0 && dirty === 'include'))
    return { commit: await snapshot(repository, folder), branchId, isCheckedOut: true, isSnapshot: true };
  return { commit: head, branchId, isCheckedOut: changed.length === 0, isSnapshot: false };
}

function refusal(changed: readonly string[]): string {
  const shown = changed.slice(0, 3).join(', ');
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : '';
  return `there are uncommitted changes (${shown}${more}); commit them, or choose --dirty include (work on them) or --dirty ignore (work without them)`;
}

/**
 * Copying the real index with its timestamps saves reading unchanged files again. Git is told which repository it works for: in the
 * folder of one below it would find that one, with its own config and programs.
 */
const snapshotScript = taking + shellScript(import.meta.dirname, 'scripts/snapshot.sh');

/** A commit of everything in the checkout, made without touching the index, a file or a branch. */
async function snapshot({ git, gitDir, head = '' }: Repository, folder: string): Promise<string> {
  return (await git.script(snapshotScript, [folder, gitDir, head])).trim();
}

/** A commit of a tree; without a configured identity, Runwire's is used. */
export async function commitTree(
  git: Repository['git'],
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const args = [tree, '-m', message, ...parents.flatMap((parent) => ['-p', parent])];
  return (await git.script('own_identity\ngit commit-tree "$@"', args)).trim();
}
