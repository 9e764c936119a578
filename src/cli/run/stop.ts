import type { Context } from '../context.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';

/** How long an agent that was told to stop may take to say so. */
const graceMs = 5000;
/** Timers of Node hold no more: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Why a run ends before its agent does. */
export type Cause =
  | { kind: 'signal'; signal: 'SIGINT' | 'SIGTERM' }
  | { kind: 'time'; ms: number }
  | { kind: 'pipe' }
  | { kind: 'crash'; error: unknown };

export function describeCause(cause: Cause): string {
  switch (cause.kind) {
    case 'signal':
      return cause.signal;
    case 'time':
      return `the time limit of ${cause.ms / 1000} s was reached`;
    case 'pipe':
      return 'nobody reads stdout any more';
    case 'crash':
      return `unexpected: ${cause.error instanceof Error ? cause.error.message : String(cause.error)}`;
  }
}

/** Everything that can end a run from outside: signals, time, a reader that goes away, a crash. The first one counts. */
export class Stop {
  readonly #controller = new AbortController();
  /** Told before the agent is. */
  onStop: (cause: Cause) => void = () => {};
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #release: () => void;
  readonly #overdue = Promise.withResolvers<void>();
  #cause: Cause | undefined;

  constructor(context: Pick<Context, 'onSignal' | 'onCrash'>, timeoutMs: number | undefined) {
    const signals = context.onSignal((signal) => this.now({ kind: 'signal', signal }));
    const crashes = context.onCrash((error) => {
      this.now({ kind: 'crash', error });
      this.#overdue.resolve();
    });
    this.#release = () => {
      signals();
      crashes();
    };
    if (timeoutMs !== undefined) this.#after(Math.min(timeoutMs, longestTimer), () => this.now({ kind: 'time', ms: timeoutMs }));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): Cause | undefined {
    return this.#cause;
  }

  /** Resolves when the agent has been given its time to stop, or none is left. */
  get overdue(): Promise<void> {
    return this.#overdue.promise;
  }

  /** A second signal is not patient. */
  now(cause: Cause): void {
    if (this.#cause !== undefined) {
      if (cause.kind === 'signal') this.#overdue.resolve();
      return;
    }
    this.#cause = cause;
    this.onStop(cause);
    // The agent may repeat the reason in its last words.
    this.#controller.abort(describeCause(cause));
    this.#after(graceMs, () => this.#overdue.resolve());
  }

  /** A run that was interrupted is told apart by its signal. */
  get processEnd(): ProcessEnd | undefined {
    return this.#cause?.kind === 'signal' ? { exit_code: null, signal: this.#cause.signal } : undefined;
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#release();
  }

  #after(ms: number, then: () => void): void {
    this.#timers.push(setTimeout(then, ms));
  }
}
