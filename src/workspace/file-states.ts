import type { FileState } from '../files/file-state.ts';
import type { Environment } from '../words/vocabulary.ts';
import { findBase, statusOf } from './base.ts';
import type { Git } from './git.ts';
import { openRepository } from './repository.ts';

/** More files than any agent changes by itself. */
const mostFiles = 20_000;
const mostBytes = 64 * 1024 * 1024;

/** The commit and the branch of a checkout, and how many files are not as they are there. */
export async function stateOf(
  folder: string,
  env: Environment,
): Promise<{ commit: string | undefined; branch: string; dirty: number }> {
  const { git, head, branch = '' } = await openRepository(folder, env);
  const listed = await git.sharedText([...statusOf, '--untracked-files=normal']);
  return { commit: head, branch, dirty: listed.split('\0').filter((entry) => entry !== '').length };
}

/** The files of a checkout that are not as they were in a commit, committed since or not. */
export async function filesSince(folder: string, env: Environment, commit: string): Promise<FileState[]> {
  const repository = await openRepository(folder, env);
  const now = await findBase(repository, { dirty: 'include' });
  return filesBetween(repository.git, commit, now.commit);
}

/** The files in which two commits differ, as they are in the second. */
export async function filesBetween(git: Git, from: string, to: string): Promise<FileState[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--raw', '--no-abbrev'];
  const listed = await git.text([...args, from, to], { maxBytes: mostBytes });
  const fields = listed.split('\0');
  const states: FileState[] = [];
  for (let at = 0; at + 1 < fields.length && states.length < mostFiles; at += 2) {
    const [, mode = '', , content = '', operation = ''] = (fields[at] ?? '').split(' ');
    // What may be executed is a difference, like what it holds.
    states.push([fields[at + 1] ?? '', operation === 'D' ? null : `${mode} ${content}`]);
  }
  return states;
}
