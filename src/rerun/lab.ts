import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { denyNames } from '../network/name-server.ts';
import { OwnNetwork } from '../network/own-network.ts';
import { type FreshCopyAsk, inFreshCopy } from '../orchestrate/fresh-copy.ts';
import type { Border } from '../processes/confined.ts';
import { quote } from '../processes/quote.ts';
import { quotedEnd } from '../redact/quoted.ts';
import { runInside } from '../workspace/run-inside.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Rerunnable } from './command.ts';
import { type Trial, trialOf } from './trial.ts';

export interface LabAsk extends FreshCopyAsk {
  /** How long a command may take, each time. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Test files that are taken from another commit: those to bring, and those that it does not have. */
export interface OtherTests {
  commit: string;
  brought: readonly string[];
  removed: readonly string[];
}

/** What a command is run on. */
export interface Ground {
  commit: string;
  tests?: OtherTests;
  /**
   * `bare`: without caches and build output that git ignores, and with an empty home folder. `home`: with the user's own. `whole`: with
   * everything that the checkout has.
   */
  has?: 'bare' | 'home' | 'whole';
}

/** What is made from other files, and may be older than they are. */
const caches = [
  'dist',
  'build',
  'out',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.cache',
  '.parcel-cache',
  '.vite',
  '.jest-cache',
  '.nyc_output',
  'coverage',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.eslintcache',
  '.stylelintcache',
  '.rspec_status',
  '_build',
  'cmake-build-*',
];
const cacheFiles = ['*.pyc', '*.tsbuildinfo', '*.o', '*.class', '.testmondata'];
/** Folders of installed packages. */
const installed = ['node_modules', '.venv', 'venv', 'vendor', '.bundle', 'Pods'];
/**
 * Only what is ignored; what is installed may hold folders with such names. "git clean" with patterns would take ignored folders as a
 * whole if anything in them could match.
 */
const clean = `git -c core.hooksPath=/dev/null ls-files -z -o -i --exclude-standard -- ${[
  ...caches.map((name) => `:(glob)**/${name}/**`),
  ...cacheFiles.map((name) => `:(glob)**/${name}`),
  ...installed.map((name) => `:(exclude,glob)**/${name}/**`),
]
  .map(quote)
  .join(' ')} | xargs -0 sh -c 'rm -f -- "$@"; for each; do rmdir -p -- "\${each%/*}" 2>/dev/null; done; :' sh`;

/** Where programs keep what they need, with its usual place in the home folder. */
const homes: Readonly<Record<string, string>> = {
  PYENV_ROOT: '.pyenv',
  PYTHONUSERBASE: '.local',
  RBENV_ROOT: '.rbenv',
  NVM_DIR: '.nvm',
  VOLTA_HOME: '.volta',
  CARGO_HOME: '.cargo',
  RUSTUP_HOME: '.rustup',
  GOPATH: 'go',
  GOCACHE: '.cache/go-build',
  GRADLE_USER_HOME: '.gradle',
  NUGET_PACKAGES: '.nuget/packages',
  SDKMAN_DIR: '.sdkman',
  ASDF_DATA_DIR: '.asdf',
  MISE_DATA_DIR: '.local/share/mise',
  DENO_DIR: '.cache/deno',
};

/** A command line may have 128 KiB. */
const mostWords = 60 * 1024;

/** Where commands are run again: each time in another fresh copy, without a network where the system can. */
export class Lab {
  /** Why there is a network; undefined: there is none. */
  readonly networkLack: string | undefined;
  readonly #ask: LabAsk;
  readonly #network: OwnNetwork | undefined;
  readonly #trials = new Map<string, Promise<Trial>>();
  #names = 0;

  private constructor(ask: LabAsk, network: OwnNetwork | undefined, lack: string | undefined) {
    this.#ask = ask;
    this.#network = network;
    this.networkLack = lack;
    if (network !== undefined) denyNames(network.doors.names, () => void (this.#names += 1));
  }

  static async open(ask: LabAsk): Promise<Lab> {
    try {
      return new Lab(ask, await OwnNetwork.open(), undefined);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return new Lab(ask, undefined, messageOf(error));
    }
  }

  close(): void {
    this.#network?.close();
  }

  /** Whether a command was given that installs what it needs. */
  get hasSetup(): boolean {
    return this.#ask.setup !== undefined;
  }

  /** The same again is another trial; otherwise a command is run on the same ground only once. */
  run(ground: Ground, command: Rerunnable, time: 1 | 2 = 1): Promise<Trial> {
    const key = JSON.stringify([ground, command.text, command.folder, time]);
    const known = this.#trials.get(key) ?? this.#run(ground, command);
    this.#trials.set(key, known);
    return known;
  }

  async #run({ commit, tests, has = 'bare' }: Ground, { text, folder }: Rerunnable): Promise<Trial> {
    const { signal, timeoutMs } = this.#ask;
    signal.throwIfAborted();
    return inFreshCopy(commit, this.#ask, signal, async (workspace, env) => {
      const prepare = [...(has === 'whole' ? [] : [clean]), ...(tests === undefined ? [] : bringing(tests))];
      for (const step of prepare) {
        const { exitCode, output } = await runInside({ cwd: workspace.top, inside: inside(workspace) }, step, {
          env,
          signal,
        });
        if (exitCode !== 0)
          throw new Failure('tool', `a fresh copy could not be made ready: ${quotedEnd(output, 300, env)}`);
      }
      const before = await this.#attempts();
      const place = { cwd: workspace.top, inside: inside(workspace, this.#network) };
      const own = has === 'bare' ? { ...env, ...emptyHome(env, workspace) } : env;
      const ran = await runInside(place, `cd ${quote(`./${folder}`)} && { ${text}\n}`, { env: own, signal, timeoutMs });
      signal.throwIfAborted();
      return trialOf(ran, (await this.#attempts()) > before);
    });
  }

  /** How often something was asked of the network that is not there. */
  async #attempts(): Promise<number> {
    return this.#names + ((await this.#network?.unrouted()) ?? 0);
  }
}

/** A home folder with nothing in it; what is installed in the user's is still found. */
function emptyHome(env: Record<string, string>, workspace: Workspace): Record<string, string> {
  const { outside, inside: home } = workspace.scratch('home');
  mkdirSync(outside, { recursive: true, mode: 0o700 });
  const { HOME: old } = env;
  const known = Object.entries(homes).flatMap(([name, below]) =>
    old === undefined || env[name] !== undefined || !existsSync(join(old, below)) ? [] : [[name, join(old, below)]],
  );
  const own = ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'].filter(
    (name) => env[name] !== undefined,
  );
  return {
    ...Object.fromEntries(known),
    ...Object.fromEntries(own.map((name) => [name, join(home, name)])),
    HOME: home,
  };
}

function inside(workspace: Workspace, border?: Border): Workspace['inside'] {
  return (order) => workspace.inside(order, border);
}

/** Shell commands that put the test files of another commit in the place of those of this one. */
function bringing({ commit, brought, removed }: OtherTests): string[] {
  const steps = [
    ...(removed.length === 0 ? [] : [`rm -f -- ${removed.map(quote).join(' ')}`]),
    ...(brought.length === 0
      ? []
      : [
          `git -c core.hooksPath=/dev/null checkout -q ${quote(commit)} -- ${brought.map((path) => quote(`:(literal)${path}`)).join(' ')}`,
        ]),
  ];
  if (steps.some((step) => step.length > mostWords)) throw new Failure('tool', 'too many test files were changed');
  return steps;
}
