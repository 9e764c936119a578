import { timeInWords } from '../time/duration.ts';
import { Failure, systemCode } from '../failure.ts';
import { present } from '../json/present.ts';
import { exitOf, startTalking } from '../processes/child.ts';
import { systemTool } from '../processes/namespace.ts';
import { patient } from '../processes/patience.ts';
import type { Environment } from '../words/vocabulary.ts';
import { quoted } from '../redact/quoted.ts';
import { withoutUsers } from '../redact/without-user.ts';
import { scriptStart, withoutPrograms } from './repository-programs.ts';
import { checkoutsAround, systemFolders, trustedPath, trustedProgram } from '../processes/trusted.ts';

export const noHooks = '/dev/null';

/** Settings for every git command that we run: no hooks, nothing in the background, no program that a repository configures. */
const settings: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.askPass', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['merge.renormalize', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['protocol.ext.allow', 'never'],
  ['protocol.fd.allow', 'never'],
  ['advice.detachedHead', 'false'],
  ['advice.addEmbeddedRepo', 'false'],
  ['core.quotePath', 'false'],
  ['core.logAllRefUpdates', 'false'],
  // Must be last, so that it can be left out.
  ['core.hooksPath', noHooks],
];

/** What a script runs where there is no git: no system has a program of this name, even if PATH lacks the folder that has git. */
const noGit = 'no-git';

/** The variables that git needs to behave as it does for the user. */
const passed = [
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
];
const identity = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/**
 * Variables for our git commands: git never prompts, never waits for a terminal, never writes what it need not, and runs no program
 * from `roots`.
 */
export function gitEnvironment(
  env: Environment,
  roots: readonly string[],
  more: Environment = {},
  config: typeof settings = settings,
): Record<string, string> {
  const own: Environment = {
    ...Object.fromEntries([...passed, ...identity].map((name) => [name, env[name]])),
    PATH: trustedPath(env, roots),
    OUR_GIT: trustedProgram('git', env, roots) ?? noGit,
    OUR_GIT_LFS: trustedProgram('git-lfs', env, roots),
    // What git-lfs fetches, and from where, is for the repository to say.
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    ...withConfig(env, config),
    ...more,
  };
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The git config from the user's variables, such as a trusted folder, extended by more entries. */
export function withConfig(
  env: Environment,
  more: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const own = Array.from({ length: count > 0 && count < 1000 ? count : 0 }, (_, index) => [
    env[`GIT_CONFIG_KEY_${index}`] ?? '',
    env[`GIT_CONFIG_VALUE_${index}`] ?? '',
  ]);
  const all = [...own.filter(([key]) => key !== ''), ...more];
  const named = all.flatMap(([key = '', value = ''], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(all.length), ...Object.fromEntries(named) };
}

export interface GitAnswer {
  code: number;
  stdout: Buffer;
  stderr: string;
}

export interface GitAsk {
  input?: string | Uint8Array | undefined;
  env?: Environment;
  signal?: AbortSignal | undefined;
  /** Whether the hooks of the repository run; default: no. */
  hooks?: boolean;
  /** The most bytes of stdout; a command that prints more is stopped. */
  maxBytes?: number;
  patienceMs?: number;
  /** Where to look for a file that git may be waiting for. */
  checkout?: string;
}

const mostBytes = 64 * 1024 * 1024;
const mostStderr = 64 * 1024;
/** How long to wait for a remote that does not answer. */
const usualPatienceMs = 120_000;
/** A checkout may be large, and a disk slow. */
export const longPatienceMs = 3_600_000;

/** The query that is running, and the one that starts when it ends. */
interface Look {
  now?: Promise<string> | undefined;
  next?: Promise<string> | undefined;
}
const looks = new Map<string, Look>();

/** Commands that read or write files of a checkout, or merge them, for which a repository can name programs. */
const mayRunPrograms: ReadonlySet<string> = new Set(['status', 'merge-tree', 'worktree']);

/** Git in one folder. */
export class Git {
  readonly cwd: string;
  readonly #env: Environment;
  readonly #roots: readonly string[];

  /** `roots`: folders whose programs are not used, though they may be on PATH; default: the checkouts that `cwd` is in. */
  constructor(cwd: string, env: Environment, roots: readonly string[] = checkoutsAround(cwd, env)) {
    this.cwd = cwd;
    this.#env = env;
    this.#roots = roots;
  }

  async ask(
    args: readonly string[],
    { input, env = {}, hooks = false, signal, maxBytes, patienceMs }: GitAsk = {},
  ): Promise<GitAnswer> {
    const environment = gitEnvironment(this.#env, this.#roots, env, hooks ? settings.slice(0, -1) : settings);
    const { OUR_GIT: command = noGit } = environment;
    if (command === noGit) throw new Failure('config', 'git is not installed');
    const order = args.some((arg) => mayRunPrograms.has(arg))
      ? { command: '/bin/sh', args: ['-c', `${scriptStart}${withoutPrograms}command "$OUR_GIT" "$@"`, 'sh', ...args] }
      : { command, args };
    return answerOf(
      { ...order, cwd: this.cwd, env: environment },
      { input, signal, checkout: this.cwd, ...present({ maxBytes, patienceMs }) },
    );
  }

  /** Its output without the last line break. Throws a `config` failure with git's own message. */
  async text(args: readonly string[], ask?: GitAsk): Promise<string> {
    const { code, stdout, stderr } = await this.ask(args, ask);
    if (code !== 0)
      throw new Failure('config', `git ${args[0] ?? ''}: ${wordsOf(stderr, args) || `exit code ${code}`}`);
    return stdout.toString().replace(/\n$/, '');
  }

  /** Like `text`, for slow queries: callers that arrive during one query share the next. */
  async sharedText(args: readonly string[]): Promise<string> {
    const key = JSON.stringify([this.cwd, args, gitEnvironment(this.#env, this.#roots)]);
    const line = looks.get(key) ?? {};
    looks.set(key, line);
    const look = async (): Promise<string> => {
      line.next = undefined;
      line.now = this.text(args);
      try {
        return await line.now;
      } finally {
        line.now = undefined;
        if (line.next === undefined) looks.delete(key);
      }
    };
    if (line.now === undefined) return line.next ?? look();
    return (line.next ??= line.now.then(look, look));
  }

  async askScript(
    script: string,
    args: readonly string[],
    { env = {}, signal, maxBytes, patienceMs }: GitAsk = {},
  ): Promise<GitAnswer> {
    const order = {
      command: '/bin/sh',
      args: ['-c', `${scriptStart}${withoutPrograms}${script}`, 'sh', ...args],
      cwd: this.cwd,
      env: gitEnvironment(this.#env, this.#roots, env),
    };
    return answerOf(order, {
      signal,
      checkout: this.cwd,
      patienceMs: patienceMs ?? longPatienceMs,
      ...present({ maxBytes }),
    });
  }

  /** Several commands in one shell, with arguments as `$1`, `$2`, …; throws as `text` does. */
  async script(script: string, args: readonly string[] = [], ask: GitAsk = {}): Promise<string> {
    const { code, stdout, stderr } = await this.askScript(script, args, ask);
    if (code !== 0) throw new Failure('config', `git: ${wordsOf(stderr, args) || `exit code ${code}`}`);
    return stdout.toString();
  }

  /** Like `text`, but undefined when git fails. */
  async try(args: readonly string[], ask?: GitAsk): Promise<string | undefined> {
    const { code, stdout } = await this.ask(args, ask);
    return code === 0 ? stdout.toString().replace(/\n$/, '') : undefined;
  }
}

/** Git's own error message in one line, without credentials: it may quote an address, even from `given`, with part of its password. */
export function wordsOf(stderr: string, given: readonly string[] = []): string {
  const lines = withoutUsers(stderr, given)
    .split('\n')
    .map((line) => line.trim());
  const complaints = lines.filter((line) => /^(?:fatal|error|remote|! )/.test(line));
  return quoted((complaints.length > 0 ? complaints : lines.filter((line) => line !== '')).slice(0, 3).join('; '), 500);
}

/** How long git takes before somebody looks whether it waits for a file. */
const slowMs = patient(1000);
const endless = 'is a named pipe or a device, and git would wait for it for ever; remove it';

/** A file that git would read, and never to its end. */
async function endlessFile(folder: string): Promise<string | undefined> {
  const args = [
    folder,
    '(',
    '-name',
    '.git*',
    '-o',
    '-path',
    '*/.git/*',
    ')',
    '(',
    '-type',
    'p',
    '-o',
    '-type',
    'c',
    '-o',
    '-type',
    'b',
    ')',
  ];
  const answer = await answerOf({
    command: systemTool('find') ?? 'find',
    args,
    cwd: '/',
    env: { PATH: systemFolders },
  }).catch(() => undefined);
  return answer?.stdout.toString().split('\n')[0];
}

interface Order {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
}

/** Runs a program to its end with its output in memory, up to a limit. Throws `Failure` when it cannot be started. */
export async function answerOf(
  order: Order,
  { input, signal, maxBytes = mostBytes, patienceMs = usualPatienceMs, checkout }: Omit<GitAsk, 'env' | 'hooks'> = {},
): Promise<GitAnswer> {
  const { child, end } = startTalking(order);
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  let ended: string | undefined;
  const stop = (why: string): void => {
    ended ??= why;
    void end(0);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return stop(`more than ${maxBytes} bytes of output`);
    chunks.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < mostStderr) stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const onAbort = (): void => stop('cancelled');
  const timer = setTimeout(stop, patienceMs, `no end after ${timeInWords(patienceMs)}`);
  const lookout =
    checkout === undefined
      ? undefined
      : setTimeout(() => void endlessFile(checkout).then((path) => path && stop(`${path} ${endless}`)), slowMs);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  try {
    const { code } = await exitOf(child);
    await closed;
    if (ended?.endsWith(endless) === true) throw new Failure('input', ended);
    if (ended !== undefined)
      throw new Failure(
        ended === 'cancelled' ? 'cancelled' : 'config',
        `${order.command} ${order.args[0] ?? ''}: ${ended}`,
      );
    return { code: code ?? 1, stdout: Buffer.concat(chunks), stderr };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const missing = systemCode(error) === 'ENOENT';
    throw new Failure('config', missing ? `${order.command} is not installed` : `${order.command}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    clearTimeout(lookout);
    signal?.removeEventListener('abort', onAbort);
    await end(0);
  }
}
