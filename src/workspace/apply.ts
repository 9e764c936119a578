import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { type Change, type Changes, changesBetween } from './changes.ts';
import { withoutLfs } from './git.ts';
import type { Repository } from './repository.ts';

export interface ApplyAsk {
  /** The commits that the work began and ended with. */
  from: string;
  to: string;
  /** Merge where it does not fit as it is. */
  isThreeWay: boolean;
  isDryRun: boolean;
}

export interface Applied extends Changes {
  /** Files with marks of a conflict in them. */
  conflicts: string[];
}

/**
 * Files are changed and nothing else: merging needs an index, and gets a copy of it. All or nothing, but for conflicts of a merge:
 * git looks at every file before it writes the first.
 */
const script = `
from=$1 to=$2 way=$3 dry=$4 index=$5
patch() { git diff-tree -r -p --binary --full-index --no-renames --no-ext-diff --no-textconv "$from" "$to"; }
if [ "$way" != three ]; then
  patch | git apply --check --whitespace=nowarn || exit 3
  [ "$dry" = yes ] || patch | git apply --whitespace=nowarn
  exit
fi
aside=$(mktemp) || exit 1
trap 'rm -f "$aside" "$aside.lock"' EXIT
[ ! -f "$index" ] || cp -p "$index" "$aside" || exit 1
export GIT_INDEX_FILE="$aside"
[ "$dry" = yes ] && { patch | git apply --3way --check --whitespace=nowarn || exit 3; exit; }
patch | git apply --3way --whitespace=nowarn || git diff --name-only --diff-filter=U -z | grep -q . || exit 3
git diff --name-only --diff-filter=U -z
`;

/** Takes what work changed into the checkout, as changes that are not committed. Throws an `input` failure where that does not fit. */
export async function applyWork(repository: Repository, { from, to, isThreeWay, isDryRun }: ApplyAsk): Promise<Applied> {
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
    `the changes do not fit the checkout as it is (${files || stderr.trim().slice(0, 300)}); nothing was changed${more}`,
  );
}

/** Changes of the user's own, each untracked file among them. */
async function changedFiles({ git }: Repository): Promise<Set<string>> {
  const listed = await git.text([...withoutLfs, 'status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']);
  return new Set(listed.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)])));
}

function refuseDirty(changes: readonly Change[], dirty: ReadonlySet<string>): void {
  const both = changes.map(({ path }) => path).filter((path) => dirty.has(path));
  if (both.length === 0) return;
  throw new Failure('input', `you have changed ${shortList(both)} too; commit or undo that first, and nothing of yours is overwritten`);
}

const complaints = [': already exists', ': No such file', ': does not', ': patch does not', ': wrong type'];

/** As git complains of them. */
function filesIn(stderr: string): string {
  const files = stderr.split('\n').flatMap((line) => {
    if (!line.startsWith('error: ')) return [];
    const said = line.slice('error: '.length).replace(/^patch failed: /, '');
    const end = complaints.map((words) => said.indexOf(words)).find((index) => index > 0);
    return [said.slice(0, end).replace(/:\d{1,10}$/, '')];
  });
  return shortList([...new Set(files)]);
}

function shortList(paths: readonly string[]): string {
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : '';
  return `${paths.slice(0, 10).join(', ')}${more}`;
}
