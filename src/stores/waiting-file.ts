import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../failure.ts';
import { filesIn } from '../files/files-in.ts';
import { makeFolder } from '../files/make-folder.ts';
import { stateFolder } from '../files/xdg.ts';
import { isWholeId } from '../ids/run-id.ts';
import { isObject } from '../json/read.ts';
import { goneBy, type Owner, silenceMs, thisProcess } from '../processes/owner.ts';
import type { Environment } from '../words/vocabulary.ts';

/** A run whose process is gone while it waits for a limit can be resumed for so long after that has reset. */
const keptMs = 30 * 24 * 3_600_000;
const ending = '.json';

/** What every such file has; the rest is known to the command that writes it. */
export interface WaitingFile {
  run: string;
  until: number;
  owner: Owner;
  kept_at: number;
}

function folderOf(env: Environment): string {
  return join(stateFolder(env), 'waiting');
}

function pathOf(env: Environment, run: string): string {
  return join(folderOf(env), `${run}${ending}`);
}

/** Keeps what a run needs to go on after a wait, for as long as it waits. Written whole: a kill leaves the one before, or this one. */
export function keepWaiting<Rest extends object>(
  env: Environment,
  waiting: Pick<WaitingFile, 'run' | 'until'> & Rest,
  now: number,
): void {
  makeFolder(folderOf(env));
  const path = pathOf(env, waiting.run);
  const text = JSON.stringify({ ...waiting, owner: thisProcess(), kept_at: now });
  writeFileSync(`${path}.${process.pid}`, text, { mode: 0o600 });
  renameSync(`${path}.${process.pid}`, path);
}

export function dropWaiting(env: Environment, run: string): void {
  rmSync(pathOf(env, run), { force: true });
}

/** Runs that wait, and whose process is gone. */
export function leftWaiting(env: Environment, now: number): WaitingFile[] {
  return filesIn(folderOf(env), ending).flatMap((name) => {
    const waiting = readWaiting(join(folderOf(env), name));
    if (waiting === undefined || !isLeft(waiting, now)) return [];
    if (now - waiting.until <= keptMs) return [waiting];
    dropWaiting(env, waiting.run);
    return [];
  });
}

/** Nobody waits for it any more. One of another machine or container may still do so until its time has come. */
function isLeft({ owner, kept_at: heartbeat_at, until }: WaitingFile, now: number): boolean {
  const gone = goneBy({ owner, heartbeat_at }, now);
  return gone === 'process' || (gone === 'silence' && now > until + silenceMs);
}

/** Makes a run that was left this process's own; false: another process was faster. */
export function takeWaiting(env: Environment, waiting: WaitingFile, now: number): boolean {
  const path = pathOf(env, waiting.run);
  const claim = `${path}.claim`;
  if (!canClaim(claim, { ...waiting, owner: thisProcess(), kept_at: now }, now)) return false;
  try {
    // A faster one may have claimed it, written it anew and given the claim back since it was read here.
    const current = readWaiting(path);
    if (current === undefined || whoseAndWhen(current) !== whoseAndWhen(waiting)) return false;
    keepWaiting(env, waiting, now);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

const whoseAndWhen = ({ owner, kept_at }: WaitingFile): string => JSON.stringify([owner, kept_at]);

/** Of two processes that give a file the same name, one cannot; one that was killed meanwhile has its claim no more. */
function canClaim(claim: string, mine: WaitingFile, now: number): boolean {
  const written = `${claim}.${process.pid}`;
  writeFileSync(written, JSON.stringify(mine), { mode: 0o600 });
  try {
    const other = readWaiting(claim);
    if (other !== undefined && isLeft(other, now)) rmSync(claim, { force: true });
    linkSync(written, claim);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function readWaiting(path: string): WaitingFile | undefined {
  try {
    const waiting: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(waiting) &&
      isWholeId(String(waiting['run'])) &&
      typeof waiting['until'] === 'number' &&
      typeof waiting['kept_at'] === 'number' &&
      isObject(waiting['owner'])
      ? (waiting as unknown as WaitingFile)
      : undefined;
  } catch {
    return undefined;
  }
}
