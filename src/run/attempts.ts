import { codeOfClass } from '../outcome/faults.ts';
import type { Expectations, Judges } from '../expect/expectations.ts';
import type { Draft, ErrorCode, EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { statusOf } from '../outcome/document.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import type { Price } from '../outcome/price.ts';
import { type ProcessEnd, Thread } from '../pipeline/thread.ts';
import { pause } from '../time/pause.ts';
import { present } from '../json/present.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Account, Budget } from './budget.ts';
import type { Children } from './children.ts';
import { RequestPace } from './request-pace.ts';
import { Reservations } from './reservations.ts';
import type { Sink } from './sinks/sink.ts';
import type { Attempt, Introduction, Source } from './sources/source.ts';
import type { Limits, OwnLimits, RunSpec } from '../contract/spec.ts';
import { type Cause, describeCause, type Stop, stoppedBy } from './stop.ts';
import { patient } from '../processes/patience.ts';
import { Watch } from './watch.ts';

const longestDelayMs = 60_000;
/** Errors that a retry would only repeat. */
const notRetried: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'auth',
  'quota',
  'context_overflow',
  'refused',
  'output_length',
]);

/** How long an agent whose request was refused may take to end by itself, with its last words. */
const lastWordsMs = patient(1500);
/** How long it may take after that: it knew before that it would have to end. */
const refusedGraceMs = patient(2500);
/** More than an agent and its sub-agents ask at the same time: one that asks as often does not heed the refusal. */
const mostRefusals = 10;

const costUnknown =
  'what the run cost is not known, so its limit on cost was not enforced; --model or --price may help';

interface Parts {
  spec: RunSpec;
  source: Source;
  /** What we know about the run ourselves; the agent's own introduction completes it. */
  introduction: Introduction;
  limits: Limits;
  sinks: readonly Sink[];
  stop: Stop;
  redact: Redactor | undefined;
  clock: () => number;
  /** Shared by the whole tree of runs. */
  budget: Budget;
  /** For agents that report tokens but no cost. */
  price: () => Promise<Price>;
  /** The runs below this one. */
  children: Pick<Children, 'usage' | 'ended'>;
  /** What is expected of the run, and how that is judged. */
  expectations?: Expectations | undefined;
  judges?: ((source: Source) => Promise<Judges>) | undefined;
  /** Another Runwire started this one for its built-in agent, and warns about what it does. */
  isInner: boolean;
}

/** One thread of attempts, under a watch: whatever happens on the way, every sink gets a beginning and an end. */
export class Attempts {
  readonly #parts: Parts;
  readonly #thread: Thread;
  readonly #watch: Watch;
  /** The share of the budget that this run has. */
  readonly #account: Account;
  readonly #reservations: Reservations;
  readonly #pace: RequestPace | undefined;
  /** Why a request of the agent was refused; it is about to be stopped. */
  #refusal: Cause | undefined;
  #refusals = 0;
  /** Aborted when no more requests of the agent go out. */
  readonly #noMore = new AbortController();
  #lastWords: NodeJS.Timeout | undefined;
  #price: Price | undefined;
  /** The agent is running, and its output counts. */
  #isOpen = false;
  /** The agent itself has reported a limit. */
  #isLimited = false;
  /** It has ended, and its own session files have been read: there is nothing left to stop. */
  #isGone = false;
  /** In this attempt the agent reported how it ended. */
  #hasClaimed = false;

  constructor(parts: Parts) {
    const { spec, introduction, limits, sinks, stop, redact, clock } = parts;
    this.#parts = parts;
    this.#thread = new Thread({
      clock,
      failOn: spec.fail_on,
      introduction,
      startedAt: clock(),
      onDraft: (draft) => this.#hear(draft),
      onRecord: (record) => this.#deliver(record),
      isWritten: sinks.some((sink) => sink.writesRecords === true),
      ...present({ redact }),
    });
    this.#watch = new Watch({
      limits,
      spent: () => this.#thread.spent(this.#price),
      onDue: (cause) => stop.now(cause),
      warn: parts.isInner ? undefined : (text) => this.#thread.whenIdle(() => this.#warn(text)),
    });
    this.#account = parts.budget.open((cause) => this.#stopFor(cause));
    this.#reservations = new Reservations({
      limits: spec.limits,
      account: this.#account,
      spent: () => this.#thread.spent(this.#price),
      price: () => this.#price,
      signal: this.#noMore.signal,
    });
    const { max_requests_per_minute: pace } = spec.limits;
    this.#pace = pace === undefined ? undefined : new RequestPace(pace);
    stop.signal.addEventListener('abort', () => this.#noMore.abort(), { once: true });
    stop.whenIdle = (act) => this.#thread.whenIdle(act);
    stop.onStop = (cause) => this.#stopped(cause);
  }

  /** Starts the agent, and retries where that may help, until there is a verdict. */
  async run(): Promise<RunOutcome> {
    const { spec, source, stop, budget, children } = this.#parts;
    // It may have been stopped before there was a thread to report that to.
    if (stop.cause !== undefined) this.#stopped(stop.cause);
    else if (this.#account.refusal !== undefined) stop.now(this.#account.refusal);
    if (spec.limits.max_cost_usd !== undefined || budget.limitsCost) this.#price = await this.#parts.price();
    let resume: string | undefined;
    for (;;) {
      const before = { at: this.#parts.clock(), ...this.#thread.spent(this.#price) };
      const verdict = await this.#attempt(resume);
      if (
        this.#thread.attempt > spec.retries ||
        stop.cause !== undefined ||
        this.#refusal !== undefined ||
        !isWorthRetrying(verdict) ||
        this.#isSpent()
      )
        break;
      resume =
        source.canResume && (resume !== undefined || this.#thread.hasProgress) ? this.#thread.session : undefined;
      await this.#scheduleRetry(verdict, before, resume);
    }
    this.#account.close();
    const price =
      this.#thread.needsPrice || spec.price !== undefined ? (this.#price ?? (await this.#parts.price())) : this.#price;
    const below = await children.usage();
    if (below !== undefined) this.#thread.reportChildren(below);
    await this.#checkExpectations(price);
    // After its last record there is nothing left to stop, however long the sinks take.
    stop.onStop = () => {};
    return this.#thread.complete(source.dialect, price);
  }

  async #checkExpectations(price: Price | undefined): Promise<void> {
    const { expectations, judges, source } = this.#parts;
    if (expectations === undefined || judges === undefined) return;
    const results = await expectations.judge(this.#thread.soFar(source.dialect, price), await judges(source));
    for (const each of results) this.#tell({ type: 'expectation.checked', ...each });
  }

  async #attempt(resume: string | undefined): Promise<Verdict> {
    const { source, stop } = this.#parts;
    let end: ProcessEnd | undefined;
    this.#hasClaimed = false;
    this.#isGone = false;
    this.#isOpen = true;
    this.#watch.start();
    try {
      if (stop.cause === undefined) end = await source.produce(this.#begin(resume));
    } catch (error) {
      if (error instanceof Failure) this.#fail(codeOfClass[error.code], error.message);
      else stop.now({ kind: 'crash', error });
    }
    this.#watch.pause();
    this.#isOpen = false;
    clearTimeout(this.#lastWords);
    const cause = stop.cause ?? this.#refusal;
    if (cause !== undefined) this.#explain(cause, end);
    else this.#settle(end);
    return this.#thread.endAttempt(end ?? stop.processEnd);
  }

  /** An agent may report its usage only at its end: too late to stop it, but a limit that was exceeded still counts. */
  #settle(end: ProcessEnd | undefined): void {
    if (this.#isLimited) return;
    const { limits } = this.#parts.spec;
    const cause = this.#watch.overspent(limits);
    if (cause?.kind === 'limit') this.#tell({ type: 'limit.reached', ...cause.limit, late: true });
    else if (
      end !== undefined &&
      limits.max_cost_usd !== undefined &&
      this.#thread.spent(this.#price).cost === undefined
    )
      this.#warn(costUnknown);
  }

  /** What earlier attempts left of the run's limits. */
  #left(): OwnLimits {
    const { max_turns: turns, max_cost_usd: cost = Infinity } = this.#parts.spec.limits;
    const left = Math.min(cost - (this.#thread.spent(this.#price).cost ?? 0), this.#account.costLeft ?? Infinity);
    return present({
      max_turns: turns === undefined ? undefined : turns - this.#watch.turns,
      max_cost_usd: left === Infinity ? undefined : Number(left.toPrecision(12)),
    });
  }

  #isSpent(): boolean {
    const { max_turns: turns = 1, max_cost_usd: cost = 1 } = this.#left();
    return turns <= 0 || cost <= 0 || this.#watch.overspent(this.#parts.limits) !== undefined;
  }

  #begin(resume: string | undefined): Attempt {
    const { stop, clock, children } = this.#parts;
    const thread = this.#thread;
    const watch = this.#watch;
    const attempt = thread.attempt;
    const isCurrent = (): boolean => this.#isOpen && thread.attempt === attempt;
    return {
      resume,
      left: this.#left(),
      stop,
      below: () => children.ended(),
      reserve: async (request, gone) => {
        const cause = this.#refusal ?? (await this.#reservations.reserve(request, gone));
        const waited = cause === undefined && (await this.#pace?.turn(AbortSignal.any([gone, this.#noMore.signal])));
        return cause === undefined && waited !== true ? undefined : (stop.cause ?? this.#refusal ?? cause);
      },
      settle: (number, used) => this.#reservations.settle(number, used),
      refuse: (cause) => this.#refuse(cause),
      emit(draft, source) {
        if (!isCurrent()) return;
        if (source === undefined) thread.emit(draft);
        else thread.tell(draft, source);
      },
      // Loaded only when an agent prints: the readers of all dialects come with it.
      async reader(options) {
        const { Reader } = await import('../pipeline/reader.ts');
        return new Reader({ ...options, clock, onDialect: (dialect) => watch.reads(dialect) }, thread);
      },
      heard: (stream, chunk) => {
        watch.output(stream, chunk);
        const full = this.#room();
        return full === undefined ? undefined : watch.waitFor(full);
      },
      counted: (totals) => {
        if (!isCurrent()) return;
        const cause = watch.counted(totals, this.#price);
        if (totals.isFinal === true) this.#isGone = true;
        else if (cause !== undefined) stop.now(cause);
      },
      exited() {
        if (isCurrent()) watch.pause();
      },
      get session() {
        return thread.session;
      },
    };
  }

  /** What the agent reports after its attempt is over is ignored. */
  #hear(draft: Draft): Draft | undefined {
    if (!this.#isOpen) return undefined;
    if (draft.type === 'agent.finished') this.#hasClaimed = true;
    if (draft.type === 'limit.reached') this.#isLimited = true;
    const { source } = this.#parts;
    return source.correct === undefined ? draft : source.correct(draft);
  }

  #deliver(record: EventRecord): void {
    const { sinks, stop, expectations } = this.#parts;
    expectations?.record(record);
    for (const sink of sinks) sink.record?.(record);
    const cause = this.#isOpen && !this.#isGone && record.source !== 'runner' ? this.#watch.event(record) : undefined;
    if (cause !== undefined) stop.now(cause);
    const isUsage = record.type === 'usage.reported' || record.type === 'model.responded';
    if (!isUsage || !this.#parts.budget.isLimited) return;
    const gone = this.#account.spend(this.#thread.spent(this.#price));
    if (gone !== undefined) this.#stopFor(gone);
  }

  /** The budget is used up, whichever run used the last of it. */
  #stopFor(cause: Cause, grace?: number): void {
    if (this.#isOpen && !this.#isGone) this.#parts.stop.now(cause, grace);
  }

  /** It has been told no in its provider's words, and most agents end then; what it reports of that is not the reason. */
  #refuse(cause: Cause): void {
    if (this.#parts.stop.cause !== undefined) return;
    this.#refusals += 1;
    if (this.#refusals > mostRefusals) this.#stopFor(this.#refusal ?? cause, refusedGraceMs);
    if (this.#refusal !== undefined) return;
    this.#refusal = cause;
    this.#noMore.abort();
    if (cause.kind === 'limit') {
      this.#isLimited = true;
      this.#thread.tell({ type: 'limit.reached', ...cause.limit }, 'wire');
    }
    this.#thread.stopped(stoppedBy(cause));
    this.#lastWords = setTimeout(() => this.#stopFor(cause, refusedGraceMs), lastWordsMs);
  }

  #warn(text: string): void {
    this.#tell({ type: 'log', stream: 'agent', level: 'warning', text });
  }

  #tell(draft: Draft): void {
    this.#thread.tell(draft);
  }

  /** Pending while a sink has more than it can take. */
  #room(): Promise<void> | undefined {
    const waiting = this.#parts.sinks.map((sink) => sink.ready?.()).filter((each) => each !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  }

  /** The agent is about to be told to stop. */
  #stopped(cause: Cause): void {
    this.#thread.stopped(stoppedBy(cause));
    if (cause.kind === 'limit' && cause !== this.#refusal) this.#tell({ type: 'limit.reached', ...cause.limit });
  }

  #explain(cause: Cause, end: ProcessEnd | undefined): void {
    if (cause.kind === 'crash') return this.#fail('unknown', describeCause(cause), cause.error);
    if (cause.kind === 'output') return this.#fail('output', cause.message);
    if (cause.kind === 'refused') return this.#fail(cause.code, cause.message);
    if (cause.kind === 'question') {
      const permission_id = cause.id ?? 'question';
      if (cause.id === undefined) this.#tell({ type: 'permission.requested', permission_id, what: cause.what });
      this.#tell({ type: 'permission.resolved', permission_id, decision: 'denied', by: 'runner' });
      return this.#fail('permission', describeCause(cause));
    }
    // A limit already says how the run ended.
    if (end === undefined && !this.#hasClaimed && cause.kind !== 'limit')
      this.#tell({ type: 'agent.finished', status: 'cancelled', message: describeCause(cause) });
  }

  #fail(code: ErrorCode, message: string, error?: unknown): void {
    const stack = error instanceof Error && !(error instanceof Failure) ? error.stack : undefined;
    this.#tell({ type: 'error', scope: 'runwire', code, message, fatal: true, ...present({ stack }) });
    if (!this.#hasClaimed) this.#tell({ type: 'agent.finished', status: 'failed', code, message });
  }

  async #scheduleRetry(
    verdict: Verdict,
    before: { at: number; tokens: number; cost: number | undefined },
    resume: string | undefined,
  ): Promise<void> {
    const { spec, sinks, stop, clock, redact } = this.#parts;
    const thread = this.#thread;
    const delay_ms = Math.min(spec.retry_delay_ms * 2 ** (thread.attempt - 1), longestDelayMs);
    const { class: name, evidence, code } = verdict;
    const reason = `${name}: ${evidence.find(({ signal }) => signal === 'error')?.detail ?? evidence[0]?.detail ?? ''}`;
    const { tokens, cost } = thread.spent(this.#price);
    const ended = {
      number: thread.attempt,
      status: statusOf(name),
      class: name,
      started_at: before.at,
      duration_ms: Math.max(0, clock() - before.at),
      reason,
      ...present({
        session_id: thread.session,
        tokens_used: tokens > before.tokens ? tokens - before.tokens : undefined,
        cost: cost === undefined ? undefined : cost - (before.cost ?? 0),
      }),
    };
    const clean = redact?.json(ended) ?? ended;
    for (const sink of sinks) sink.attempt?.(clean);
    const scheduled = {
      attempt: thread.attempt,
      max_attempts: spec.retries,
      delay_ms,
      cause: reason,
      ...present({ code, resumes: resume === undefined ? undefined : (true as const) }),
    };
    thread.retry(scheduled);
    await pause(delay_ms, stop.signal);
  }
}

function isWorthRetrying({ class: name, code }: Verdict): boolean {
  return (name === 'provider' || name === 'incomplete') && !notRetried.has(code);
}
