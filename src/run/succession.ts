import type { Limits, RunSpec } from '../contract/spec.ts';
import type { ErrorCode, EventRecord } from '../events/event.ts';
import { present } from '../json/present.ts';
import { statusOf } from '../outcome/document.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import type { Thread } from '../pipeline/thread.ts';
import type { Redactor } from '../redact/redactor.ts';
import { type Pause, pause as pauseByClock } from '../time/pause.ts';
import { Effects } from './effects.ts';
import { mayFallBack, reasonOf } from './fallback.ts';
import { passesWithTime } from './limit-reset.ts';
import type { LimitWait } from './limit-wait.ts';
import type { Sink } from './sinks/sink.ts';
import type { Introduction, Source } from './sources/source.ts';
import type { Stop } from './stop.ts';

const longestDelayMs = 60_000;
/** Errors that a retry would only repeat. */
const notRetried: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'auth',
  'quota',
  'context_overflow',
  'refused',
  'output_length',
]);

/** An agent that takes over. */
export interface NextAgent {
  agent: string;
  model?: string | undefined;
  source: Source;
  introduction: Introduction;
  limits: Limits;
}

/** What follows an attempt that was not the last. */
type Next = { kind: 'retry' } | { kind: 'wait'; until: number } | { kind: 'fallback'; next: NextAgent };

interface Used {
  tokens: number;
  cost: number | undefined;
}

interface Parts {
  spec: RunSpec;
  stop: Pick<Stop, 'cause' | 'signal'>;
  clock: () => number;
  sinks: readonly Sink[];
  redact: Redactor | undefined;
  /** How it waits; default: in real time. */
  pause: Pause | undefined;
  /** The agent after this many others; undefined: there is none. */
  fallback: ((index: number, soFar: RunOutcome) => Promise<NextAgent | undefined>) | undefined;
  thread: Pick<Thread, 'agent' | 'attempt' | 'session' | 'retry'>;
  limitWait: Pick<LimitWait, 'until' | 'count' | 'over' | 'forget'>;
  spent(): Used;
  soFar(): RunOutcome;
  /** The first file that the agent edited outside of its private copy. */
  strayed(): string | undefined;
  warn(text: string): void;
}

/** What follows an attempt of a run: a retry, a wait for a limit, another agent, or nothing. */
export class Succession {
  readonly #parts: Parts;
  #retries = 0;
  #fallbacks = 0;
  #effects: Effects;
  /** When the attempt that is under way began, and what had been used by then. */
  #before: Used & { at: number };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#effects = new Effects(parts.spec.workspace !== undefined);
    this.#before = { at: parts.clock(), tokens: 0, cost: undefined };
  }

  /** How many agents had their turn before the one that is at work. */
  get fallbacks(): number {
    return this.#fallbacks;
  }

  /** An attempt begins. */
  begin(): void {
    this.#before = { at: this.#parts.clock(), ...this.#parts.spent() };
  }

  /** A record of the attempt that is under way. */
  hear(record: EventRecord): void {
    this.#effects.hear(record);
  }

  /** What follows; undefined: the verdict stands. */
  async after(verdict: Verdict): Promise<Next | undefined> {
    const { spec, limitWait } = this.#parts;
    const mayRetry = this.#retries < spec.retries && isWorthRetrying(verdict);
    const isLimited = passesWithTime(verdict.code);
    if (mayRetry && !isLimited) return { kind: 'retry' };
    const next = await this.#fallbackOf(verdict);
    if (next !== undefined) return { kind: 'fallback', next };
    const until = isLimited ? limitWait.until : undefined;
    if (until !== undefined) return { kind: 'wait', until };
    return mayRetry ? { kind: 'retry' } : undefined;
  }

  async #fallbackOf(verdict: Verdict): Promise<NextAgent | undefined> {
    const { spec, fallback, stop, soFar, strayed, warn } = this.#parts;
    if (fallback === undefined || this.#fallbacks >= (spec.fallback ?? []).length || !mayFallBack(verdict))
      return undefined;
    const edited = strayed();
    const first = this.#effects.first ?? (edited === undefined ? undefined : `it edited ${edited}`);
    if (first !== undefined && spec.fallback_after_work !== true) {
      warn(
        `no other agent goes on, because this one did what may not be undone: ${first}; --fallback-after-work lets it`,
      );
      return undefined;
    }
    const next = await fallback(this.#fallbacks, soFar());
    return stop.cause === undefined ? next : undefined;
  }

  /** Returns when the delay before the next attempt is over. */
  async retry(verdict: Verdict, resume: string | undefined): Promise<void> {
    const { spec, stop, pause = pauseByClock } = this.#parts;
    const delay_ms = Math.min(spec.retry_delay_ms * 2 ** this.#retries, longestDelayMs);
    this.#retries += 1;
    this.#schedule(verdict, { delay_ms, max_attempts: spec.retries, resume });
    await pause(delay_ms, stop.signal);
  }

  /** Returns when the limit has reset. */
  async wait(verdict: Verdict, resume: string | undefined, until: number): Promise<void> {
    const { clock, limitWait } = this.#parts;
    const since = clock();
    limitWait.count();
    this.#schedule(verdict, { delay_ms: Math.max(0, until - since), resume });
    await limitWait.over({ since, until, cause: reasonOf(verdict) }, verdict.code);
  }

  /** The next attempt is that of another agent. */
  handOver(verdict: Verdict, { agent, model }: NextAgent): void {
    this.#fallbacks += 1;
    this.#retries = 0;
    this.#schedule(verdict, { delay_ms: 0, agent, ...present({ model }) });
    this.#effects = new Effects(this.#parts.spec.workspace !== undefined);
  }

  #schedule(
    verdict: Verdict,
    {
      delay_ms,
      max_attempts,
      resume,
      agent,
      model,
    }: { delay_ms: number; max_attempts?: number; resume?: string | undefined; agent?: string; model?: string },
  ): void {
    const { sinks, clock, redact, thread, limitWait, spent } = this.#parts;
    const { class: name, code } = verdict;
    const before = this.#before;
    const reason = reasonOf(verdict);
    const { tokens, cost } = spent();
    const ended = {
      number: thread.attempt,
      status: statusOf(name),
      class: name,
      started_at: before.at,
      duration_ms: Math.max(0, clock() - before.at),
      reason,
      ...present({
        agent: agent === undefined ? undefined : thread.agent,
        session_id: thread.session,
        tokens_used: tokens > before.tokens ? tokens - before.tokens : undefined,
        cost: cost === undefined ? undefined : cost - (before.cost ?? 0),
      }),
    };
    const clean = redact?.json(ended) ?? ended;
    for (const sink of sinks) sink.attempt?.(clean);
    thread.retry({
      attempt: thread.attempt,
      delay_ms,
      cause: reason,
      ...present({ max_attempts, code, agent, model, resumes: resume === undefined ? undefined : (true as const) }),
    });
    limitWait.forget();
  }
}

function isWorthRetrying({ class: name, code }: Verdict): boolean {
  return (name === 'provider' || name === 'incomplete') && !notRetried.has(code);
}
