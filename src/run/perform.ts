import { setTimeout as sleep } from 'node:timers/promises';
import { codeOfClass } from '../faults.ts';
import type { Draft, ErrorCode, EventOf, EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import { statusOf } from '../outcome/fold.ts';
import type { Price } from '../outcome/usage.ts';
import type { FailOn } from '../outcome/verdict.ts';
import { Recorder } from '../pipeline/recorder.ts';
import { type ProcessEnd, Thread } from '../pipeline/thread.ts';
import type { Redactor } from '../redact/redactor.ts';
import { describeCause, type Stop, stoppedBy } from './stop.ts';
import { type Limits, Watch } from './watch.ts';

/** Where a run is told. */
export interface Sink {
  record?(record: EventRecord): void;
  end?(outcome: RunOutcome): void;
  /** An attempt that will be followed by another. */
  attempt?(attempt: EndedAttempt): void;
  /** While it is pending, the sink has more than it can take; the agent's output waits for it, the agent does not. */
  ready?(): Promise<void> | undefined;
}

/** An attempt that was not the last, and what it took. */
interface EndedAttempt {
  number: number;
  status: RunOutcome['status'];
  class: Verdict['class'];
  session_id?: string;
  started_at: number;
  duration_ms: number;
  tokens_used?: number;
  cost?: number;
  /** Why it is tried again. */
  reason: string;
}

/** One start of an agent. */
export interface Attempt {
  /** A session to go on with. */
  resume: string | undefined;
  thread: Thread;
  watch: Watch;
  stop: Stop;
  clock: () => number;
  /** A word of the agent; once the attempt is over nobody hears it. */
  emit(draft: Draft): void;
  /** Pending while a sink has more than it can take. */
  room(): Promise<void> | undefined;
}

/** Something that makes events: the built-in agent, or a process. */
export interface Source {
  /** The dialect that the events were read from. */
  readonly dialect: string;
  /** Whether a session can be gone on with. */
  readonly canResume: boolean;
  /** Runs the agent to its end; soon after `stop` it is over. Throws `Failure` when it cannot begin. */
  attempt(attempt: Attempt): Promise<ProcessEnd | undefined>;
}

export interface Performance {
  /** What we know of the run ourselves; the agent's own introduction completes it. */
  introduction: Omit<EventOf<'thread.started'>, 'type'>;
  source: Source;
  sinks: readonly Sink[];
  stop: Stop;
  limits: Limits;
  /** How often a run that failed through no fault of its task is started again. */
  retries: number;
  /** The first wait before a retry, doubled each time. */
  retryDelayMs: number;
  redact: Redactor | undefined;
  failOn: readonly FailOn[];
  clock: () => number;
  loadPrice: () => Promise<Price>;
}

const longestDelayMs = 60_000;
/** What would fail the same way again. */
const hopeless: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>(['auth', 'quota', 'context_overflow', 'refused', 'output_length']);

/** One run to its verdict: whatever happens on the way, every sink gets a beginning and an end. */
export async function perform(performance: Performance): Promise<RunOutcome> {
  const { introduction, source, sinks, stop, limits, retries, redact, failOn, clock, loadPrice } = performance;
  const recorder = new Recorder(() => globalThis.crypto.randomUUID());
  let price: Price | undefined;
  if (limits.maxCostUsd !== undefined) void loadPrice().then((loaded) => (price = loaded));
  const thread: Thread = new Thread({
    clock,
    failOn,
    introduction,
    startedAt: clock(),
    onEvent(read) {
      const record = recorder.record(read);
      if (read.source === 'agent') watch.event(read.event);
      for (const sink of sinks) sink.record?.(record);
    },
    ...(redact === undefined ? {} : { redact }),
  });
  const watch = new Watch({ limits, spent: () => thread.spent(price), stop: (cause) => stop.now(cause) });
  const room = (): Promise<void> | undefined => {
    const waiting = sinks.map((sink) => sink.ready?.()).filter((each) => each !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  };
  stop.onStop = (cause) => {
    thread.stopped(stoppedBy(cause));
    if (cause.kind === 'limit') thread.tell({ type: 'limit.reached', ...cause.limit });
  };

  let resume: string | undefined;
  for (;;) {
    const started_at = clock();
    const before = thread.spent(price);
    const verdict = await attempt(resume);
    if (thread.attempt > retries || stop.cause !== undefined || !isWorthRetrying(verdict)) break;
    resume = source.canResume && (resume !== undefined || thread.hasProgress) ? thread.session : undefined;
    const delay_ms = Math.min(performance.retryDelayMs * 2 ** (thread.attempt - 1), longestDelayMs);
    const reason = `${verdict.class}: ${verdict.evidence.find(({ signal }) => signal === 'error')?.detail ?? verdict.evidence[0]?.detail ?? ''}`;
    const spent = thread.spent(price);
    for (const sink of sinks) {
      sink.attempt?.({
        number: thread.attempt,
        status: statusOf(verdict.class),
        class: verdict.class,
        started_at,
        duration_ms: clock() - started_at,
        reason,
        ...(thread.session === undefined ? {} : { session_id: thread.session }),
        ...(spent.tokens > before.tokens ? { tokens_used: spent.tokens - before.tokens } : {}),
        ...(spent.cost === undefined ? {} : { cost: spent.cost - (before.cost ?? 0) }),
      });
    }
    thread.retry({
      attempt: thread.attempt,
      max_attempts: retries,
      delay_ms,
      cause: reason,
      ...(verdict.code === undefined ? {} : { code: verdict.code }),
      ...(resume === undefined ? {} : { resumes: true }),
    });
    await sleep(delay_ms, undefined, { signal: stop.signal }).catch(() => {});
  }
  const outcome = thread.complete(source.dialect, thread.needsPrice ? (price ?? (await loadPrice())) : price);
  for (const sink of sinks) sink.end?.(outcome);
  return outcome;

  async function attempt(session: string | undefined): Promise<Verdict> {
    let open = true;
    let claimed = false;
    let end: ProcessEnd | undefined;
    const emit = (draft: Draft): void => {
      if (!open) return;
      if (draft.type === 'agent.finished') claimed = true;
      thread.emit(draft);
    };
    const fail = (code: ErrorCode, message: string, error?: unknown): void => {
      const stack = error instanceof Error && !(error instanceof Failure) && error.stack !== undefined ? { stack: error.stack } : {};
      thread.tell({ type: 'error', scope: 'runwire', code, message, fatal: true, ...stack });
      if (!claimed) thread.tell({ type: 'agent.finished', status: 'failed', code, message });
    };
    watch.start();
    try {
      if (stop.cause === undefined) end = await source.attempt({ resume: session, thread, watch, stop, clock, emit, room });
    } catch (error) {
      if (error instanceof Failure) fail(codeOfClass[error.code], error.message, error);
      else stop.now({ kind: 'crash', error });
    }
    watch.pause();
    open = false;
    const { cause } = stop;
    if (cause?.kind === 'crash') fail('unknown', describeCause(cause), cause.error);
    else if (cause?.kind === 'question') {
      const permission_id = cause.id ?? 'question';
      if (cause.id === undefined) thread.tell({ type: 'permission.requested', permission_id, what: cause.what });
      thread.tell({ type: 'permission.resolved', permission_id, decision: 'denied', by: 'runner' });
      fail('permission', describeCause(cause));
    } else if (cause !== undefined && end === undefined && !claimed) {
      thread.tell({ type: 'agent.finished', status: 'cancelled', message: describeCause(cause) });
    }
    return thread.endAttempt(end ?? stop.processEnd);
  }
}

function isWorthRetrying({ class: name, code }: Verdict): boolean {
  return (name === 'provider' || name === 'incomplete') && !hopeless.has(code);
}
