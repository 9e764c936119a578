import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Printing, Program } from './child.ts';
import { startGuarded, type Guarded } from './guarded.ts';
import type { Start } from './mark.ts';
import { printed } from './printed.ts';

/** How a process gets a table of processes of its own: whom it cannot see, it cannot read, and with its first process all of them end. */
export interface Namespace {
  program: string;
  flags: readonly string[];
  /** What the first process does before anything else. */
  prepare: string;
}

const patienceMs = 2000;
/** The old table goes before the new one comes: root could take away what is only laid over it. */
export const ownTable = 'umount -l /proc && mount -t proc proc /proc';

/** A tool of the system. Never looked for in PATH: it may begin with a folder of the repository. */
export function systemTool(name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
}

let found: Promise<Namespace | undefined> | undefined;

/** The way that works here; undefined if none does. Found out once, by trying. */
export function findNamespace(): Promise<Namespace | undefined> {
  return (found ??= tryNamespace());
}

async function tryNamespace(): Promise<Namespace | undefined> {
  const program = systemTool('unshare');
  if (program === undefined) return undefined;
  // A user namespace has one user only, so root would no longer be able to give files away, which installing packages needs:
  // root gets a namespace as the root it is, or none.
  const isRoot = process.geteuid?.() === 0;
  const user = isRoot ? ['--mount'] : ['--user', '--map-current-user', '--mount-proc'];
  const flags = [...user, '--pid', '--fork', '--kill-child'];
  const prepare = isRoot ? ownTable : ':';
  const args = [...flags, '--', '/bin/sh', '-c', prepare];
  const tried = await printed({ command: program, args, cwd: '/', env: {} }, patienceMs).catch(() => undefined);
  return tried?.exitCode === 0 ? { program, flags, prepare } : undefined;
}

/**
 * The first process of a namespace, which the kernel treats unlike others: it hears no signal that it does not ask for. So it is
 * none of the program's. What the program leaves running gets a moment to end, and is told of; when this ends, so does everything.
 */
const first = `
# A shell that hears SIGINT exits with 130 when the program has ended, whatever the program made of it; a trap is not passed on.
trap : INT TERM
exec 4>&2 2>/dev/null
# Not in this shell, which would say on the program's stderr that a signal ended it.
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
others() {
  for path in /proc/[0-9]*/stat; do
    read -r line < "$path" || continue
    [ "\${line%% *}" = $$ ] && continue
    case \${line##*) } in [ZX]*) continue ;; esac
    return 0
  done
  return 1
}
round=0
while others; do
  [ $round -ge 5 ] && { echo left >&3; break; }
  round=$((round + 1))
  sleep 0.02
done
exit $code
`;

export interface Contained extends Guarded<Printing> {
  /** Whether it left something running, which has ended with it. */
  leftSomething(): boolean;
}

/** The command line that runs another one in a namespace. A signal that ends it becomes the exit code that a shell gives it. */
export function namespaced(
  command: string,
  args: readonly string[],
  { program, flags, prepare }: Namespace,
): Pick<Program, 'command' | 'args'> {
  const script = `path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin\n{ ${prepare}; } || exit 125\nPATH=\${path:-$PATH}${first}`;
  return { command: program, args: [...flags, '--', '/bin/sh', '-c', script, 'runwire-first', command, ...args] };
}

/** Starts a program as `startPrinting` does, in a namespace. */
export function startContained({ command, args, ...rest }: Program, namespace: Namespace): Contained {
  let left = false;
  const order = { ...rest, ...namespaced(command, args, namespace) };
  const start = (marked: Start): Printing => {
    const { cwd, env } = marked;
    const child = spawn(marked.command, [...marked.args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
    if (!isPrinting(child)) throw new Error('the pipes of a process are missing');
    child.stdio[3]?.once('data', () => void (left = true)).on('error', () => {});
    return child;
  };
  return { ...startGuarded(order, start), leftSomething: () => left };
}

function isPrinting(child: ChildProcess): child is Printing {
  return child.stdout !== null && child.stderr !== null;
}
