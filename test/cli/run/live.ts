import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atFileEnd } from '../../support/at-file-end.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../../support/model-server/index.ts';
import type { Context } from '../../../src/cli/context.ts';
import { realContext } from '../../../src/cli/effects.ts';
import { main } from '../../../src/cli/main.ts';
import { folder, outside } from './scripted.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');

export async function serve(turns: readonly TurnInput[], requireKey?: string): Promise<ModelServer> {
  const server = await startModelServer({ turns, ...(requireKey === undefined ? {} : { requireKey }) });
  atFileEnd(() => server.close());
  return server;
}

export const modelAt = (server: ModelServer): string[] => [
  '--model',
  'openai-compatible/test-model',
  '--base-url',
  server.baseUrl('chat'),
];

export interface Live {
  stdout: string;
  stderr: string;
  status: number | null;
  cwd: string;
}

export interface LiveOptions {
  cwd?: string;
  /** null: left open, and silent. */
  stdin?: string | null;
  env?: Readonly<Record<string, string | undefined>>;
  /** With the running command, and again whenever it has said something. */
  watch?: (child: ChildProcess, stdout: string) => void;
  /** The same for what it said to people. */
  hear?: (child: ChildProcess, stderr: string) => void;
  /** A file or device that stdout, or stderr, goes to instead. */
  stdoutFile?: string;
  stderrFile?: string;
}

/** A folder with one file, `a.txt`. */
export function project(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'a.txt'), 'hello\n');
  return cwd;
}

/** The built command as a user runs it, with a home of its own and no keys. */
export function live(args: readonly string[], options: LiveOptions = {}): Promise<Live> {
  const cwd = options.cwd ?? project();
  const files = [options.stdoutFile, options.stderrFile].map((path) =>
    path === undefined ? 'pipe' : openSync(path, 'w'),
  );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: folder(), ...options.env },
      stdio: ['pipe', ...files],
    });
    for (const file of files) if (typeof file === 'number') closeSync(file);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      options.watch?.(child, stdout);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      options.hear?.(child, stderr);
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ stdout, stderr, status, cwd }));
    child.stdin?.on('error', () => {});
    if (options.stdin !== null) child.stdin?.end(options.stdin ?? '');
    options.watch?.(child, '');
  });
}

/**
 * The same command without a process of its own: for tables of cases. What a process is for (signals, pipes, the end of
 * everything) is tested with `live`.
 */
export async function inside(
  args: readonly string[],
  options: Pick<LiveOptions, 'cwd' | 'env' | 'stdin'> & { clock?: Pick<Context, 'now' | 'sleep' | 'pause'> } = {},
): Promise<Live> {
  const { context, told, cwd } = outside({ cwd: options.cwd ?? project(), stdin: options.stdin ?? '' });
  const env = { PATH: process.env.PATH, HOME: folder(), ...options.env };
  // A process reads from its own folder, and names a file as it was given.
  const beside = (path: string): string =>
    cwd !== process.cwd() && existsSync(join(cwd, path)) ? join(cwd, path) : path;
  const status = await main(args, {
    ...context,
    ...options.clock,
    env,
    readFile: (path) => realContext().readFile(beside(path)),
  });
  return { ...told, status, cwd };
}

/** Words, two calls at once, then the answer. */
export const twoTurns: readonly TurnInput[] = [
  {
    reasoning: 'Two files.',
    text: 'I look at both.',
    calls: [
      { name: 'read', args: { path: 'a.txt' } },
      { name: 'write', args: { path: 'b.txt', content: 'new\n' } },
    ],
    usage: { input: 1000, output: 40 },
  },
  { text: 'All\ndone ✓', usage: { input: 1100, output: 10 } },
];
/** A model that never stops calling. */
export const endless: readonly TurnInput[] = Array.from({ length: 9 }, () => ({
  calls: [{ name: 'read', args: { path: 'a.txt' } }],
  usage: { input: 1000, output: 1000 },
}));
const bash = (command: string): TurnInput => ({
  calls: [{ name: 'bash', args: { command } }],
  usage: { input: 10, output: 10 },
});
const nothing: TurnInput = { text: '', usage: { input: 10, output: 0 } };

/** Every class of end that a model and flags can bring about, and what it takes. */
export const ways: readonly (readonly [
  name: string,
  code: number,
  turns: readonly TurnInput[],
  flags: readonly string[],
])[] = [
  ['success', 0, twoTurns, []],
  ['tool', 3, [bash('exit 3'), nothing], ['--permission-mode', 'full']],
  ['provider', 4, [{ fault: { status: 401 } }], []],
  ['cost_limit', 5, endless, ['--max-cost-usd', '0.001', '--price', 'input=1,output=1']],
  ['turn_limit', 6, endless, ['--max-turns', '2']],
  ['permission', 7, [bash('exit 0'), nothing], []],
  ['time_limit', 124, [{ text: 'x', fault: { type: 'stall' } }], ['--timeout', '1s']],
];
