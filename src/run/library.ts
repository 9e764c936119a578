import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { FailOn } from '../outcome/verdict.ts';
import type { Sink } from './sinks/sink.ts';
import type { RunRequest } from './spec.ts';
import type { Limits } from './watch.ts';
import type { Labels } from '../stores/run-store.ts';
import type { Environment, PermissionMode, TokenPrice } from '../vocabulary.ts';

export interface RunOptions {
  /** `builtin` (default), or the id of an agent that is installed: `codex`, `claude`, `opencode`, … */
  agent?: string;
  /** A command of your own instead, program first; its dialect is detected, or named in `from`. */
  command?: readonly string[];
  from?: string;
  /** What to do. For a command: what goes to its stdin. */
  prompt?: string;
  model?: string;
  baseUrl?: string;
  price?: TokenPrice;
  /** Default: where this process is. */
  cwd?: string;
  /** Default: the environment of this process. An agent's process gets the usual variables of it, its own, and those named in `passEnv`. */
  env?: Environment;
  /** `NAME`, `NAME=VALUE`, `PREFIX_*` or `*`. */
  passEnv?: readonly string[];
  permissionMode?: PermissionMode;
  /** Rules of the built-in agent. */
  allow?: readonly string[];
  deny?: readonly string[];
  directories?: readonly string[];
  resume?: string;
  system?: string;
  appendSystem?: string;
  outputSchema?: Record<string, unknown>;
  agentArgs?: readonly string[];
  limits?: Limits;
  /** How often a run that the model's side failed, or that broke off, is started again; default 0. */
  retries?: number;
  retryDelayMs?: number;
  failOn?: readonly FailOn[];
  /** Where the run is remembered: a file, `postgres://…`; default: nowhere. */
  ledger?: string;
  labels?: Labels;
  /** Whether secrets are replaced; default true. */
  redact?: boolean;
  /** Aborting it ends the run with everything that it started. */
  signal?: AbortSignal;
}

/** A run: its records as they happen, and what it came to. */
export interface Run extends AsyncIterable<EventRecord> {
  /** Rejects only when the request makes no sense; a run that failed has an outcome. */
  readonly outcome: Promise<RunOutcome>;
}

/** Records that wait for whoever iterates; then the agent's output has to wait as well. */
const roomFor = 1000;

/** Runs an agent. It starts at once; iterate from the start, or await the outcome alone. */
export function run(options: RunOptions): Run {
  const queue = new RecordQueue();
  const outcome = start(options, queue);
  // Who iterates hears of it there; who awaits it, here.
  outcome.then(
    () => queue.end(),
    (error: unknown) => queue.end(error),
  );
  return { outcome, [Symbol.asyncIterator]: () => queue.iterate() };
}

async function start(options: RunOptions, sink: Sink): Promise<RunOutcome> {
  // What touches the system is loaded only here: the rest of the library runs in a browser.
  const [{ conduct }, { Stop }, { readEnvironmentWords }, { ledgerPlace }] = await Promise.all([
    import('./conduct.ts'),
    import('./stop.ts'),
    import('../agents/environment.ts'),
    import('../stores/open-store.ts'),
  ]);
  const {
    agent = 'builtin',
    prompt = '',
    cwd = process.cwd(),
    env = process.env,
    from,
    passEnv,
    limits = {},
    signal,
    ledger = 'none',
    labels = {},
    ...rest
  } = options;
  const place = ledgerPlace(ledger, env, cwd);
  const stop = new Stop(silence, limits.timeoutMs);
  const request: RunRequest = {
    allow: [],
    deny: [],
    directories: [],
    agentArgs: [],
    retries: 0,
    retryDelayMs: 2000,
    failOn: [],
    redact: true,
    ...rest,
    agent,
    prompt,
    cwd,
    env,
    limits,
    dialect: from,
    ledger: place.kind === 'none' ? undefined : { place, labels, tape: true },
    extraEnv: readEnvironmentWords(passEnv ?? []),
  };
  const abort = (): void => stop.now({ kind: 'signal', signal: 'SIGTERM' });
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await conduct(request, { sinks: [sink], stop, clock: Date.now, complain: () => {} });
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.dispose();
  }
}

/** The signals of a process belong to its program, not to its libraries. */
const silence = { onSignal: () => () => {}, onCrash: () => () => {} };

/** Between the run and whoever iterates over it. */
class RecordQueue implements Sink {
  #waiting: EventRecord[] = [];
  #isIterated = false;
  #dropped = false;
  #ended: { error?: unknown } | undefined;
  #wake = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();

  record(record: EventRecord): void {
    if (this.#dropped) return;
    this.#waiting.push(record);
    // Nobody reads them, so nobody misses them; the outcome does not need them.
    if (!this.#isIterated && this.#waiting.length > 10 * roomFor) {
      this.#waiting = [];
      this.#dropped = true;
    }
    this.#wake.resolve();
  }

  ready(): Promise<void> | undefined {
    return this.#isIterated && this.#waiting.length > roomFor ? this.#room.promise : undefined;
  }

  end(error?: unknown): void {
    this.#ended = error === undefined ? {} : { error };
    this.#wake.resolve();
  }

  async *iterate(): AsyncGenerator<EventRecord> {
    if (this.#isIterated) throw new Error('a run can be iterated once');
    this.#isIterated = true;
    try {
      for (;;) {
        if (this.#dropped) throw new Error('the first records of this run are gone: iterate over it from the start');
        const ready = this.#waiting;
        this.#waiting = [];
        this.#room.resolve();
        this.#room = Promise.withResolvers();
        yield* ready;
        if (this.#waiting.length > 0) continue;
        if (this.#ended !== undefined) break;
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
      if (this.#ended?.error !== undefined) throw this.#ended.error;
    } finally {
      // Whoever stops listening does not stop the run, and must not make it wait.
      this.#waiting = [];
      this.#dropped = true;
      this.#room.resolve();
    }
  }
}
