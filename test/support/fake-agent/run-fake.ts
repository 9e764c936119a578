import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { compiled } from '../compiled.ts';
import { processesWith } from '../processes.ts';

export const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
const fake = join(import.meta.dirname, 'fake-agent.ts');

/** Where one run happens; the folder is on everything that it starts. It goes with all other temporary files of the tests. */
export interface Place {
  root: string;
  cwd: string;
  env: Record<string, string>;
}

export function makeCheckout(env: Record<string, string> = {}): Place {
  const root = mkdtempSync(join(tmpdir(), 'runwire-fake-'));
  const [tmp, cwd, home] = ['tmp', 'repo', 'home'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [tmp, cwd, home]) mkdirSync(folder);
  return { root, cwd, env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp, ...compiled, ...env } };
}

/** As the command after `--`, and as the program that `--agent codex` finds in PATH. */
export const asCommand = (mode: string, from = 'codex'): string[] => [
  '--from',
  from,
  '--env',
  'NODE_COMPILE_CACHE',
  '--',
  process.execPath,
  fake,
  mode,
];
export function asCodex(mode: string, place: Place): string[] {
  place.env['PATH'] = [join(import.meta.dirname, 'bin'), place.env['PATH']].join(delimiter);
  place.env['CODEX_FAKE_MODE'] = mode;
  return ['--agent', 'codex', 'Do it'];
}

export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
  signal: NodeJS.Signals | null;
}

const longest = 30_000;
/** A flood is narrated at length. */
const keptOfStderr = 1 << 20;

interface Watching {
  /** Called with the running command, and again with what it has said. */
  watch?: (child: ChildProcess, stdout: string) => void;
  /** When it is killed, because no test may wait for ever. */
  limit?: number;
}

/** The built command as a user runs it. */
export function runFake(
  args: readonly string[],
  { cwd, env }: Place,
  { watch, limit = longest }: Watching = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, 'run', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const tooLong = setTimeout(() => child.kill('SIGKILL'), limit);
    const pieces: string[] = [];
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      pieces.push(text);
      watch?.(child, text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr = (stderr + text).slice(-keptOfStderr)));
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(tooLong);
      resolve({ stdout: pieces.join(''), stderr, status, signal });
    });
    watch?.(child, '');
  });
}

/** What should not be there when a run is over: processes, the guard among them, and files. */
export function leftOf({ root, env }: Place): { processes: number[]; files: string[] } {
  return { processes: processesWith(root), files: readdirSync(env['TMPDIR'] ?? '') };
}

export const nothing = { processes: [], files: [] };
