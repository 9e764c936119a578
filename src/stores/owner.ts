import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { OpenRun, Owner } from './run-store.ts';

/** A run of another machine that has not been heard of for so long is taken for gone. */
export const silenceMs = 10 * 60_000;

export function thisProcess(): Owner {
  return { host: hostname(), boot: bootOf(), pid: process.pid, process_started: processState(process.pid)?.started ?? '' };
}

/** Whether nobody will ever end this run. */
export function isGone(
  { owner, heartbeat_at }: Pick<OpenRun, 'owner' | 'heartbeat_at'>,
  now: number,
  self: Owner = thisProcess(),
): boolean {
  const silent = now - heartbeat_at > silenceMs;
  if (owner.host !== self.host) return silent;
  const [boot, namespace] = owner.boot.split(' ');
  const [ownBoot, ownNamespace] = self.boot.split(' ');
  if (boot !== ownBoot) return true;
  // A container beside us: its process numbers are not ours.
  if (namespace !== ownNamespace) return silent;
  if (owner.process_started === '') return !exists(owner.pid) || silent;
  const state = processState(owner.pid);
  return state === undefined ? !exists(owner.pid) : state.ended || state.started !== owner.process_started;
}

/** The process of a run, if it is one of this machine and this user, and surely the one that began the run; else why it is not. */
export function ownProcess(owner: Owner, self: Owner = thisProcess()): { pid: number } | { refused: string } {
  if (owner.host !== self.host) return { refused: `it runs on ${owner.host}` };
  if (owner.boot !== self.boot) return { refused: 'it runs elsewhere: in another container, or it was reported' };
  const state = processState(owner.pid);
  if (state === undefined ? !exists(owner.pid) : state.ended || state.started !== owner.process_started)
    return { refused: 'its process is gone' };
  if (state !== undefined && state.user !== process.getuid?.()) return { refused: 'it is the run of another user' };
  return { pid: owner.pid };
}

/** For runs whose process is not ours to look at: only their silence tells that they are gone. */
export function reportedOwner(host: string, pid: number): Owner {
  return { host, boot: `${bootOf().split(' ')[0]} reported`, pid, process_started: '' };
}

/** The start of this machine and the space of its process numbers, where the system tells. */
function bootOf(): string {
  return `${read('/proc/sys/kernel/random/boot_id')} ${link('/proc/self/ns/pid')}`;
}

/** Field 22 of Linux's `stat` is the start time in ticks since boot; the name before it may hold anything, even `)`. */
function processState(pid: number): { started: string; ended: boolean; user: number | undefined } | undefined {
  const fields = read(`/proc/${pid}/stat`);
  if (fields === '') return undefined;
  const [state, ...rest] = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
  return { started: rest[18] ?? '', ended: state === 'Z' || state === 'X', user: statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid };
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
