import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { quoted } from '../redact/quoted.ts';
import { type Change, type Changes, changesBetween } from './changes.ts';
import { statusOf } from './base.ts';
import type { Repository } from './repository.ts';
import { shellScript } from '../files/shell-script.ts';

export interface ApplyAsk {
  /** The commits that the work began and ended with. */
  from: string;
  to: string;
  /** Merge where the patch does not apply cleanly. */
  isThreeWay: boolean;
  isDryRun: boolean;
}

export interface Applied extends Changes {
  /** Files with conflict markers. */
  conflicts: string[];
}

/**
 * Changes files and nothing else: merging needs an index, and gets a copy of it. All or nothing, except for merge conflicts:
 * git checks every file before it writes the first.
 */
const script = shellScript(import.meta.dirname, 'scripts/apply.sh');

/** Applies the changes to the checkout, without committing them. Throws an `input` failure where they do not apply. */
export async function applyWork(
  repository: Repository,
  { from, to, isThreeWay, isDryRun }: ApplyAsk,
): Promise<Applied> {
  const { git, gitDir } = repository;
  const changes = await changesBetween(git, from, to);
  if (changes.changes.length === 0) return { ...changes, conflicts: [] };
  refuseDirty(changes.changes, await changedFiles(repository));
  const words = [from, to, isThreeWay ? 'three' : 'plain', isDryRun ? 'yes' : 'no', join(gitDir, 'index')];
  const { code, stdout, stderr } = await git.askScript(script, words);
  if (code === 0) return { ...changes, conflicts: stdout.toString().split('\0').slice(0, -1) };
  const files = filesIn(stderr);
  const more = isThreeWay ? '' : '; --3way merges what it can';
  throw new Failure(
    'input',
    `the changes do not apply to the checkout as it is (${files || quoted(stderr, 300)}); nothing was changed${more}`,
  );
}

/** The user's own changes, including every untracked file. */
async function changedFiles({ git }: Repository): Promise<Set<string>> {
  const listed = await git.text([...statusOf, '--untracked-files=all']);
  return new Set(listed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)])));
}

function refuseDirty(changes: readonly Change[], dirty: ReadonlySet<string>): void {
  const both = changes.map(({ path }) => path).filter((path) => dirty.has(path));
  if (both.length === 0) return;
  throw new Failure(
    'input',
    `you have changed ${shortList(both)} too; commit or undo that first, so that nothing of yours is overwritten`,
  );
}

const complaints = [': already exists', ': No such file', ': does not', ': patch does not', ': wrong type'];

/** The files that git complains about. */
function filesIn(stderr: string): string {
  const files = stderr.split('\n').flatMap((line) => {
    if (!line.startsWith('error: ')) return [];
    const message = line.slice('error: '.length).replace(/^patch failed: /, '');
    const end = complaints.map((words) => message.indexOf(words)).find((index) => index > 0);
    return [message.slice(0, end).replace(/:\d{1,10}$/, '')];
  });
  return shortList([...new Set(files)]);
}

function shortList(paths: readonly string[]): string {
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : '';
  return `${paths.slice(0, 10).join(', ')}${more}`;
}
