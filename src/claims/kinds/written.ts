import type { ChangedFile, RepositoryState } from '../state.ts';
import type { Facts, Step, Write } from '../facts/facts.ts';
import { fitsGlob, isInside, isSamePath, isScratch, tidyPath } from '../facts/paths.ts';
import { gitWords } from '../facts/writers.ts';
import { byCall, byState } from './kind.ts';
import { callText, short } from './why.ts';
import type { ClaimEvidence } from '../claim.ts';

/** Whether a write is of that path; a folder or a pattern may be meant. */
function isOf(write: Write, path: string): boolean {
  if (write.isVague === true) return fitsGlob(path, write.path) || isSamePath(write.path, path);
  return (
    isSamePath(write.path, path) ||
    (write.from !== undefined && write.operation === 'renamed' && isSamePath(write.from, path))
  );
}

/** What the writes of one path come to. */
export interface PathState {
  attempts: readonly Write[];
  done: readonly Write[];
  maybe: readonly Write[];
  failed: readonly Write[];
  /** It was changed, and then changed back. */
  isUndone: boolean;
  isDeleted: boolean;
}

export function stateOf(facts: Facts, path: string): PathState {
  const attempts = facts.writes.filter((write) => isOf(write, path));
  const real = attempts.filter(({ operation }) => operation !== 'restored');
  const done = real.filter((write) => write.done === 'yes');
  const last = facts.writes.findLast(
    (write) =>
      write.done !== 'no' &&
      (isOf(write, path) || (write.operation === 'restored' && (write.path === '.' || isInside(path, write.path)))),
  );
  const isUndone = (last?.operation === 'restored' && last.done === 'yes') || isInverse(done);
  const lastReal = done.at(-1);
  return {
    attempts,
    done,
    maybe: real.filter((write) => write.done === 'unknown'),
    failed: real.filter((write) => write.done === 'no'),
    isUndone,
    isDeleted:
      lastReal !== undefined &&
      (lastReal.operation === 'deleted' ||
        (lastReal.operation === 'renamed' && lastReal.from !== undefined && isSamePath(lastReal.from, path))),
  };
}

/** The last edit takes back the one before, and there was only that. */
function isInverse(done: readonly Write[]): boolean {
  const edits = done.filter(({ before, after }) => before !== undefined && after !== undefined);
  if (edits.length !== done.length || edits.length === 0 || edits.length % 2 !== 0) return false;
  const open: Write[] = [];
  for (const edit of edits) {
    const last = open.at(-1);
    if (last !== undefined && last.before === edit.after && last.after === edit.before) open.pop();
    else open.push(edit);
  }
  return open.length === 0;
}

/** The files that a run changed and left changed. */
export function changedPaths(facts: Facts): { path: string; write: Write }[] {
  const found = new Map<string, { path: string; write: Write }>();
  const gone = new Set<string>();
  for (const write of facts.writes) {
    if (write.done !== 'yes' || write.isVague === true || isScratch(write.path)) continue;
    const key = keyOf(write.path, found);
    if (write.operation === 'restored') {
      if (write.path === '.') found.clear();
      else found.delete(key);
      continue;
    }
    if (write.operation === 'deleted' && found.get(key)?.write.operation === 'created') {
      found.delete(key);
      gone.add(key);
      continue;
    }
    found.set(key, { path: write.path, write });
  }
  return [...found.values()].filter(
    ({ path, write }) => !(write.before !== undefined && stateOf(facts, path).isUndone),
  );
}

function keyOf(path: string, known: ReadonlyMap<string, unknown>): string {
  const tidy = tidyPath(path);
  if (known.has(tidy)) return tidy;
  const slash = tidy.lastIndexOf('/');
  const name = tidy.slice(slash + 1);
  for (const key of known.keys()) if (key.endsWith(name) && isSamePath(key, tidy)) return key;
  return tidy;
}

export function ofWrite(write: Write): ClaimEvidence {
  const end = write.isRefused ? 'denied' : write.done === 'no' ? 'failed' : '';
  const what = write.isShell
    ? callText(write.call)
    : `${write.operation === 'modified' ? 'edit' : write.operation} ${short(write.path)}`;
  return byCall(write.call, `${what}${end === '' ? '' : `: ${end}`}`);
}

/** What a `git status` or `git diff --stat` listed. */
export interface Listing {
  step: Step;
  files: { path: string; isUntracked: boolean }[];
  isClean: boolean;
  count?: number;
  insertions?: number;
  deletions?: number;
  /** Nothing changed after it. */
  isLast: boolean;
  /** It names the files, not only their number. */
  hasNames: boolean;
  isStatus: boolean;
}

export function listingsOf(facts: Facts): Listing[] {
  const lastWrite = Math.max(
    -1,
    ...facts.writes.filter(({ done, path }) => done !== 'no' && !isScratch(path)).map(({ order }) => order),
  );
  const found: Listing[] = [];
  for (const step of facts.steps) {
    if (
      step.program.name !== 'git' ||
      step.isRefused ||
      step.ran === 'no' ||
      step.exit === 'nonzero' ||
      step.through.some(({ name }) => /grep|head|wc|awk/.test(name))
    )
      continue;
    const [verb, ...rest] = gitWords(step.program.args);
    const isStatus = verb === 'status';
    const isStat =
      (verb === 'diff' || verb === 'show') &&
      rest.some((arg) => /^--(?:stat|name-only|name-status|shortstat|numstat)/.test(arg));
    if (!isStatus && !isStat && verb !== 'commit') continue;
    if (
      rest.some(
        (arg, index) =>
          !arg.startsWith('-') &&
          verb === 'diff' &&
          index > rest.indexOf('--') &&
          (rest.includes('--') || /[./]/.test(arg)) &&
          arg !== '.',
      )
    )
      continue;
    found.push({ ...read(step, verb ?? '', rest), step, isLast: step.order > lastWrite, isStatus });
  }
  return found;
}

function read(
  step: Step,
  verb: string,
  rest: readonly string[],
): Pick<Listing, 'files' | 'isClean' | 'hasNames'> & Partial<Listing> {
  const files: Listing['files'] = [];
  const text = step.lines.join('\n');
  let isUntracked = false;
  for (const line of step.lines) {
    if (line.startsWith('Untracked files:')) isUntracked = true;
    const long = /^\t(?:modified|new file|deleted|renamed|both modified|typechange):? +(.+)$/.exec(line)?.[1];
    const short2 = /^([ MADRCUT?!]{2}) (\S.*)$/.exec(line);
    const stat = /^ (\S.{0,300}?) +\| +(?:\d+|Bin)/.exec(line)?.[1];
    const name = rest.includes('--name-status') ? /^[MADRCT]\d*\t(\S.*)$/.exec(line)?.[1] : undefined;
    const bare = rest.includes('--name-only') && /^[\w./@-]+$/.test(line) ? line : undefined;
    const other = isUntracked ? /^\t(\S+)$/.exec(line)?.[1] : undefined;
    const path = long ?? (verb === 'status' ? short2?.[2] : undefined) ?? stat ?? name ?? bare ?? other;
    if (path !== undefined && verb !== 'commit')
      files.push({
        path: path.replace(/^.* -> /, '').replaceAll('"', ''),
        isUntracked: other !== undefined || short2?.[1] === '??',
      });
  }
  const count = /(\d+) files? changed/.exec(text)?.[1];
  const insertions = /(\d+) insertions?\(\+\)/.exec(text)?.[1];
  const deletions = /(\d+) deletions?\(-\)/.exec(text)?.[1];
  const isClean =
    /working tree clean|nothing to commit/.test(text) ||
    (verb !== 'commit' && text.trim() === '' && step.exit === 'zero');
  return {
    files,
    isClean,
    hasNames: verb !== 'commit' && (files.length > 0 || isClean),
    ...(count === undefined
      ? {}
      : { count: Number(count), insertions: Number(insertions ?? 0), deletions: Number(deletions ?? 0) }),
  };
}

/** The files that git says were changed, of a run whose both sides were looked at. */
export function inState(state: RepositoryState | undefined, path: string): ChangedFile | undefined {
  return state?.files?.find((file) => isSamePath(file.path, path));
}

export function shortHash(hash = ''): string {
  return hash.slice(0, 9);
}

export function ofState(state: RepositoryState, what: string): ClaimEvidence {
  return byState(`${what}${state.base === undefined ? '' : ` since ${shortHash(state.base)}`}`);
}
