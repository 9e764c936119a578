import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** In clock ticks since boot; together with the pid it identifies one process for good. */
  started: number;
  /** It has ended, and is only waiting to be reaped by its parent. */
  isGone: boolean;
  isKernel: boolean;
}

export interface ProcessTable {
  processes: Map<number, Process>;
  /** False: a process vanished while we were reading, and may have left a child that we did not see. */
  isWhole: boolean;
}

const isNumber = /^\d+$/;
const kernelThread = 0x00200000;
const stat = Buffer.allocUnsafe(4096);

/** All processes on this machine; undefined where there is no /proc, or one with different pids from ours, such as that of a container's host. */
export function readProcessTable(): ProcessTable | undefined {
  if (process.platform !== 'linux') return undefined;
  const table: ProcessTable = { processes: new Map(), isWhole: true };
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    for (const name of readdirSync('/proc')) {
      if (!isNumber.test(name)) continue;
      const each = readProcess(Number(name));
      if (each === undefined) table.isWhole = false;
      else table.processes.set(each.pid, each);
    }
  } catch {
    return undefined;
  }
  return table;
}

/** What the kernel says about one process; undefined: there is no such process. */
export function readProcess(pid: number): Process | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return parseStat(pid, stat.toString('latin1', 0, readSync(file, stat, 0, stat.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function parseStat(pid: number, text: string): Process {
  // The second field is the name in parentheses, and a name may hold anything, parentheses too.
  const [state = '', ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const numbers = rest.map(Number);
  return {
    pid,
    parent: numbers[0] ?? 0,
    group: numbers[1] ?? 0,
    session: numbers[2] ?? 0,
    started: numbers[18] ?? 0,
    isGone: state === 'Z' || state === 'X',
    isKernel: ((numbers[5] ?? 0) & kernelThread) !== 0,
  };
}

/** The environment that a process was started with; undefined if we may not read it. */
export function readEnvironment(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return undefined;
  }
}

/** The limits of a process, as the kernel lists them. */
export function readLimits(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'latin1');
  } catch {
    return undefined;
  }
}
