import { timeInWords } from '../time/duration.ts';
import type { EventOf } from '../events/event.ts';
import { messageOf } from '../failure.ts';
import { unread } from '../outcome/verdict.ts';
import type { ProcessEnd, StoppedBy } from '../pipeline/thread.ts';
import { patient } from '../processes/patience.ts';
import { RunTimer, Standstill } from './standstill.ts';

/** How long an agent that was asked to stop may take to do so. */
const graceMs = patient(5000);
/**
 * How long a model call that is on its way may take to end when the run has used up its money: it is paid for in any case, and only
 * its end says what it cost.
 */
export const settleMs = patient(30_000);
/** The longest timeout that Node.js supports: a longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1;

type StopSignal = 'SIGINT' | 'SIGTERM';
type Limit = Omit<EventOf<'limit.reached'>, 'type'> & { message: string };

/** Why a run ends before its agent does. */
export type Cause =
  | { kind: 'signal'; signal: StopSignal }
  | { kind: 'limit'; limit: Limit }
  /** `id`: of the request, when it was an event and not a line of text. */
  | { kind: 'question'; what: string; id?: string }
  /** The agent reported its end but has not exited. */
  | { kind: 'done' }
  | { kind: 'pipe' }
  /** Nobody can be told what the run does. */
  | { kind: 'output'; message: string }
  /** It asked a model for something that it may not have. */
  | { kind: 'refused'; code: 'permission' | 'config'; message: string }
  | { kind: 'crash'; error: unknown };

export function reached(limit: Limit): Cause {
  return { kind: 'limit', limit };
}

export function describeCause(cause: Cause): string {
  switch (cause.kind) {
    case 'signal':
      return cause.signal;
    case 'limit':
      return cause.limit.message;
    case 'question':
      return `asked for permission, and nobody can answer: ${cause.what}`;
    case 'done':
      return 'the agent had finished and did not leave';
    case 'pipe':
      return unread;
    case 'output':
    case 'refused':
      return cause.message;
    case 'crash':
      return `unexpected: ${messageOf(cause.error)}`;
  }
}

/** Who caused the end. */
export function stoppedBy(cause: Cause): StoppedBy {
  if (cause.kind === 'signal' || cause.kind === 'pipe') return 'user';
  return cause.kind === 'done' ? 'done' : 'limit';
}

/** What can ask a run to stop, from outside. */
export interface Outside {
  onSignal(listener: (signal: StopSignal) => void): () => void;
  onCrash(listener: (error: unknown) => void): () => void;
  /** Ends the process when time is up and no timer can fire, because something blocks the thread; returns a function that cancels this. */
  watchTime(ms: number, onBlocked: () => void): () => void;
}

/** For the library: signals and the end of the process are the business of the program that uses it. */
export const noOutside: Outside = { onSignal: () => () => {}, onCrash: () => () => {}, watchTime: () => () => {} };

/** Everything that can end a run before its agent does: signals, limits, a reader that goes away, a crash. The first one counts. */
export class Stop {
  readonly #controller = new AbortController();
  readonly #last = new AbortController();
  /** Called before the agent is asked to stop. */
  onStop: (cause: Cause) => void = () => {};
  /** Calls when nothing is under way that a stop must not interrupt. */
  whenIdle = (act: () => void): void => act();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #release: () => void;
  readonly #outside: Outside;
  readonly #onBlocked: (limit: Limit) => void;
  /** Clocks of the run do not go on while it stands still. */
  readonly standstill = new Standstill();
  #time: RunTimer | undefined;
  #unwatch = (): void => {};
  readonly #overdue = Promise.withResolvers<void>();
  readonly #calls = new AbortController();
  readonly #settlesOn: StopSignal | undefined;
  #cause: Cause | undefined;

  /**
   * `onBlocked`: called when the process can only be killed; it must not wait for anything. `settlesOn`: the signal by which the run
   * that started this one says that its money is used up.
   */
  constructor(
    outside: Outside,
    timeoutMs: number | undefined,
    onBlocked: (limit: Limit) => void = () => {},
    settlesOn?: StopSignal | undefined,
  ) {
    this.#settlesOn = settlesOn;
    this.#outside = outside;
    this.#onBlocked = onBlocked;
    const signals = outside.onSignal((signal) => this.now({ kind: 'signal', signal }));
    const crashes = outside.onCrash((error) => {
      this.now({ kind: 'crash', error });
      this.#hurry();
    });
    this.#release = () => {
      signals();
      crashes();
      this.#time?.clear();
      this.#unwatch();
    };
    if (timeoutMs !== undefined) this.limitTime(timeoutMs);
  }

  /** The time limit of the run, from its beginning; it may be changed while the run is going on. */
  limitTime(timeoutMs: number): void {
    this.#time?.clear();
    this.#unwatch();
    const left = (): number => Math.max(0, Math.min(timeoutMs - this.standstill.activeMs, longestTimer));
    let unblock = (): void => {};
    const stopped = (): void => unblock();
    // A thread of its own ends a process that is stuck; while the run stands still, it is not.
    const goesOn = (): void => {
      unblock = this.#outside.watchTime(left(), () => this.#onBlocked(timeIsUp(timeoutMs).limit));
    };
    if (!this.standstill.isOn) goesOn();
    const forget = this.standstill.listen({ stopped, goesOn });
    this.#unwatch = () => {
      forget();
      unblock();
    };
    this.#time = new RunTimer(this.standstill, left(), () => this.now(timeIsUp(timeoutMs)));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborted when the whole run must end, not only an agent that has finished and did not leave. */
  get ends(): AbortSignal {
    return this.#last.signal;
  }

  get cause(): Cause | undefined {
    return this.#cause;
  }

  /** Resolves when the agent has had its time to stop, or gets none. */
  get overdue(): Promise<void> {
    return this.#overdue.promise;
  }

  /** Resolves after the time that an agent has to stop. */
  grace(): Promise<void> {
    return new Promise((resolve) => this.#after(graceMs, resolve));
  }

  /** Aborted when a model call that is on its way is not waited for, or not any longer. */
  get calls(): AbortSignal {
    return this.#calls.signal;
  }

  /** Whether model calls that are on their way may end. */
  get settles(): boolean {
    const cause = this.#cause;
    if (cause?.kind === 'signal') return cause.signal === this.#settlesOn;
    return cause?.kind === 'limit' && (cause.limit.limit === 'cost' || cause.limit.limit === 'tokens');
  }

  /** A second signal ends the grace period. */
  now(cause: Cause, grace = graceMs): void {
    this.whenIdle(() => this.#stop(cause, grace));
  }

  #stop(cause: Cause, grace: number): void {
    if (cause.kind !== 'done') this.#last.abort();
    if (this.#cause !== undefined) {
      if (cause.kind === 'signal') this.#hurry();
      return;
    }
    this.#cause = cause;
    this.onStop(cause);
    this.standstill.endAll();
    // The agent may repeat the reason in its last message.
    this.#controller.abort(describeCause(cause));
    if (this.settles) this.#after(settleMs, () => this.#calls.abort());
    else this.#calls.abort();
    this.#after(grace, () => this.#overdue.resolve());
  }

  #hurry(): void {
    this.#overdue.resolve();
    this.#calls.abort();
  }

  /** For a run without its own process: the signal that interrupted it, as if it were a process. */
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

export function timeIsUp(ms: number): Extract<Cause, { kind: 'limit' }> {
  const seconds = ms / 1000;
  return {
    kind: 'limit',
    limit: {
      limit: 'time',
      value: seconds,
      maximum: seconds,
      message: `the time limit of ${timeInWords(ms)} was reached`,
    },
  };
}
