import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Printing, Program } from './child.ts';
import { startGuarded, type Guarded } from './guarded.ts';
import type { Start } from './mark.ts';
import { printed } from './printed.ts';
import { shellScript } from '../files/shell-script.ts';

/** How to give a process its own process table: it cannot read processes that it cannot see, and when the first process ends, all of them do. */
export interface Namespace {
  program: string;
  flags: readonly string[];
  /** What the first process does before anything else. */
  prepare: string;
}

const patienceMs = 2000;
/** The old table is unmounted before the new one is mounted: root could remove one that is only mounted on top. */
export const ownTable = 'umount -l /proc && mount -t proc proc /proc';

/** A system tool. Never searched for in PATH, which may begin with a folder of the repository. */
export function systemTool(name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
}

let found: Promise<Namespace | undefined> | undefined;

/** The method that works here; undefined if none does. Determined once, by trying. */
export function findNamespace(): Promise<Namespace | undefined> {
  return (found ??= tryNamespace());
}

async function tryNamespace(): Promise<Namespace | undefined> {
  const program = systemTool('unshare');
  if (program === undefined) return undefined;
  // A user namespace has only one user, so root could no longer change the owner of files, which installing packages requires:
  // root gets a namespace in which it stays root, or none.
  const isRoot = process.geteuid?.() === 0;
  const user = isRoot ? ['--mount'] : ['--user', '--map-current-user', '--mount-proc'];
  const flags = [...user, '--pid', '--fork', '--kill-child'];
  const prepare = isRoot ? ownTable : ':';
  const args = [...flags, '--', '/bin/sh', '-c', prepare];
  const tried = await printed({ command: program, args, cwd: '/', env: {} }, patienceMs).catch(() => undefined);
  return tried?.exitCode === 0 ? { program, flags, prepare } : undefined;
}

/**
 * The first process of a namespace, which the kernel treats specially: it receives no signal that it has no handler for. So it is
 * not the program itself. What the program leaves running gets a moment to end, and is reported; when this process ends, so does everything.
 */
const first = shellScript(import.meta.dirname, 'scripts/first.sh');

export interface Contained extends Guarded<Printing> {
  /** Whether it left something running that was ended with it. */
  leftSomething(): boolean;
}

/** The command line that runs another one in a namespace. If a signal ends that command, the exit code is the one a shell would report. */
export function namespaced(
  command: string,
  args: readonly string[],
  { program, flags, prepare }: Namespace,
): Pick<Program, 'command' | 'args'> {
  const script = `path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin\n{ ${prepare}; } || exit 125\nPATH=\${path:-$PATH}\n${first}`;
  return { command: program, args: [...flags, '--', '/bin/sh', '-c', script, 'runwire-first', command, ...args] };
}

/** Starts a program as `startPrinting` does, in a namespace. */
export function startContained({ command, args, ...rest }: Program, namespace: Namespace): Contained {
  return startFirst({ ...rest, ...namespaced(command, args, namespace) });
}

/** Starts a command line of `namespaced`. */
export function startFirst(order: Program): Contained {
  let left = false;
  const start = (marked: Start): Printing => {
    const { cwd, env } = marked;
    const child = spawn(marked.command, [...marked.args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    if (!isPrinting(child)) throw new Error('the pipes of a process are missing');
    child.stdio[3]?.once('data', () => void (left = true)).on('error', () => {});
    return child;
  };
  return { ...startGuarded(order, start), leftSomething: () => left };
}

function isPrinting(child: ChildProcess): child is Printing {
  return child.stdout !== null && child.stderr !== null;
}
