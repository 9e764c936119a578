import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { systemCode } from '../failure.ts';
import { present } from '../json/present.ts';

/** The process that writes a run, so that another one can tell whether it still exists. */
export interface Owner {
  host: string;
  /** Distinguishes two machines of the same name; absent if the system has no such id, and in rows of older versions. */
  machine?: string;
  /** Changes when the machine restarts; after that a process id means nothing. */
  boot: string;
  pid: number;
  /** When the process began, as the system reports it, because process ids are reused. */
  process_started: string;
}

/** Who writes something, and when they were last heard from. */
interface Heard {
  owner: Owner;
  heartbeat_at: number;
}

/** A run on another machine that has been silent for this long is presumed dead. */
export const silenceMs = 10 * 60_000;

export function thisProcess(): Owner {
  return {
    host: hostname(),
    ...present({ machine: machineId() }),
    boot: bootOf(),
    pid: process.pid,
    process_started: processState(process.pid)?.started ?? '',
  };
}

/** Whether two processes are, or were, on one machine: host names and the ids in images are not unique, so both must agree. */
export function isSameMachine(owner: Owner, self: Owner = thisProcess()): boolean {
  if (owner.host !== self.host) return false;
  if (owner.machine === undefined || self.machine === undefined) return bootIn(owner) === bootIn(self);
  return owner.machine === self.machine;
}

/** Why this run will probably not be ended by its own process: the process is surely gone, or it has been silent. Both times are of one clock. */
export function goneBy(
  { owner, heartbeat_at }: Heard,
  now: number,
  self: Owner = thisProcess(),
): 'process' | 'silence' | undefined {
  const silence = now - heartbeat_at > silenceMs ? 'silence' : undefined;
  if (!isSameMachine(owner, self)) return silence;
  // An owner that was heard from after this machine had started is on another one, whatever its name.
  if (bootIn(owner) !== bootIn(self)) return heartbeat_at < now - uptime() * 1000 ? 'process' : silence;
  // Another container: its process ids are not ours.
  if (owner.boot !== self.boot) return silence;
  const state = processState(owner.pid);
  if (state === undefined ? !exists(owner.pid) : state.ended) return 'process';
  // If the system does not say when a process began, its id may be another's by now.
  if (owner.process_started === '') return silence;
  return state !== undefined && state.started !== owner.process_started ? 'process' : undefined;
}

export function isGone(run: Heard, now: number, self?: Owner): boolean {
  return goneBy(run, now, self) !== undefined;
}

/** The process of a run, if it is of this machine and this user and surely the one that began the run; else why not. */
export function ownProcess(owner: Owner, self: Owner = thisProcess()): { pid: number } | { refused: string } {
  if (owner.host !== self.host) return { refused: `it runs on ${owner.host}` };
  if (!isSameMachine(owner, self)) return { refused: `it runs on another machine named ${owner.host}` };
  if (owner.boot !== self.boot) return { refused: 'it runs elsewhere: in another container, or it was reported' };
  const state = processState(owner.pid);
  if (state === undefined ? !exists(owner.pid) : state.ended || state.started !== owner.process_started)
    return { refused: 'its process is gone' };
  if (state !== undefined && state.user !== process.getuid?.()) return { refused: 'it belongs to another user' };
  return { pid: owner.pid };
}

const reportedMark = ' reported';

/** For runs whose process cannot be checked from here: only their silence shows that they are gone. */
export function reportedOwner(host: string, pid: number): Owner {
  return { host, boot: `${bootIn({ boot: bootOf() })}${reportedMark}`, pid, process_started: '' };
}

export function isReported({ boot }: Owner): boolean {
  return boot.endsWith(reportedMark);
}

/** The boot id without the PID namespace. */
function bootIn({ boot = '' }: Partial<Owner>): string {
  return boot.split(' ', 1)[0] ?? '';
}

function machineId(): string | undefined {
  return read('/etc/machine-id') || read('/var/lib/dbus/machine-id') || undefined;
}

/** The boot id of this machine and its PID namespace, if the system provides them. */
function bootOf(): string {
  return `${read('/proc/sys/kernel/random/boot_id')} ${link('/proc/self/ns/pid')}`;
}

/** Field 22 of Linux's `stat` is the start time in ticks since boot; the name before it may hold anything, even `)`. */
function processState(pid: number): { started: string; ended: boolean; user: number | undefined } | undefined {
  const fields = read(`/proc/${pid}/stat`);
  if (fields === '') return undefined;
  const [state, ...rest] = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
  return {
    started: rest[18] ?? '',
    ended: state === 'Z' || state === 'X',
    user: statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid,
  };
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
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
