import { codeOfClass } from '../outcome/faults.ts';
import type { Expectations, Judges } from '../expect/expectations.ts';
import type { Draft, EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import type { RunOutcome, Verdict } from '../outcome/outcome.ts';
import type { Price } from '../outcome/price.ts';
import { type ProcessEnd, Thread } from '../pipeline/thread.ts';
import type { Pause } from '../time/pause.ts';
import { reasonOf } from './fallback.ts';
import { LimitWait } from './limit-wait.ts';
import { limitsLeft } from '../contract/limits-left.ts';
import { type LimitOrder, limitsIn, maximumOf } from '../contract/orders.ts';
import { present } from '../json/present.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Account, Budget } from './budget.ts';
import type { Children } from './children.ts';
import { PersonPause } from './person-pause.ts';
import { Refusals } from './refusals.ts';
import type { Sink } from './sinks/sink.ts';
import type { Attempt, Introduction, Source } from './sources/source.ts';
import type { Limits, OwnLimits, RunSpec } from '../contract/spec.ts';
import { type Cause, type Stop, stoppedBy } from './stop.ts';
import { failureDrafts, stopDrafts } from './stop-drafts.ts';
import type { BegunWait, Parked } from './parked.ts';
import { type NextAgent, Succession } from './succession.ts';
import { Watch } from './watch.ts';

const costUnknown =
  'what the run cost is not known, so its limit on cost was not enforced; --model or --price may help';

interface Parts {
  spec: RunSpec;
  source: Source;
  /** What we know about the run ourselves; the agent's own introduction completes it. */
  introduction: Introduction;
  limits: Limits;
  /** Why too little is left of an agent's quota to start it; undefined: nobody asked, or there is enough. */
  tooLittle?: ((agent: string, model: string | undefined) => Promise<TooLittle | undefined>) | undefined;
  /** The agent after this many others, which is told what came of it so far; undefined: there is none. */
  fallback?: ((index: number, soFar: RunOutcome) => Promise<NextAgent | undefined>) | undefined;
  /** Of whoever reads what an agent says about times. */
  timeZone: () => string;
  /** How it waits; default: in real time. */
  pause?: Pause | undefined;
  /** Whoever started it lets it go on when the limit has reset, so that nothing of it has to stay here. */
  parks: boolean;
  /** What an earlier start of the same run has waited already. */
  parked?: Pick<Parked, 'waits' | 'waited_ms'> | undefined;
  /** The wait with which it begins. */
  begunWait?: BegunWait | undefined;
  /** Called before it waits for a limit, with what another process needs to go on with it; and without, when it goes on here. */
  onWait?: ((parked: Parked | undefined) => void) | undefined;
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

/** What is left of a quota, and why that is not enough. */
export interface TooLittle {
  message: string;
  window: string;
  used: number;
  resets_at_ms?: number | undefined;
}

/** One thread of attempts, under a watch: whatever happens on the way, every sink gets a beginning and an end. */
export class Attempts {
  readonly #parts: Parts;
  readonly #thread: Thread;
  readonly #watch: Watch;
  /** The share of the budget that this run has. */
  readonly #account: Account;
  readonly #refusals: Refusals;
  readonly #limitWait: LimitWait;
  readonly #succession: Succession;
  readonly #personPause: PersonPause;
  #source: Source;
  /** The limits of the run, as they are now. */
  readonly #limits: Limits;
  /** What the agent that is at work does not keep by itself. */
  #watched: Limits;
  /** Of the agent that took over. */
  #nextModel: string | undefined;
  readonly #changed: Limits = {};
  #isOver = false;
  /** The session that the next attempt goes on with. One in which nothing was said or done is not worth it: the task would be in it twice. */
  #resume: string | undefined;
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
    this.#source = parts.source;
    this.#limits = { ...spec.limits };
    this.#watched = { ...limits };
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
      standstill: stop.standstill,
      spent: () => this.#thread.spent(this.#price),
      onDue: (cause) => stop.now(cause),
      warn: parts.isInner ? undefined : (text) => this.#thread.whenIdle(() => this.#warn(text)),
    });
    this.#account = parts.budget.open((cause) => this.#stopFor(cause));
    this.#refusals = new Refusals({
      limits: this.#limits,
      account: this.#account,
      spent: () => this.#thread.spent(this.#price),
      price: () => this.#price,
      stop,
      pace: spec.limits.max_requests_per_minute,
      onFirst: (cause) => this.#refused(cause),
      end: (cause, grace) => this.#stopFor(cause, grace),
    });
    const tell = (draft: Draft): void => this.#tell(draft);
    this.#limitWait = new LimitWait({
      ...parts,
      pause: parts.pause,
      parked: parts.parked,
      onWait: parts.onWait,
      state: () => this.#state,
      tell,
      warn: (text) => this.#warn(text),
      flush: () => Promise.all(sinks.map((sink) => sink.flush?.())),
    });
    this.#succession = new Succession({
      ...parts,
      pause: parts.pause,
      fallback: parts.fallback,
      thread: this.#thread,
      limitWait: this.#limitWait,
      spent: () => this.#thread.spent(this.#price),
      soFar: () => this.#soFar,
      strayed: () => this.#source.strayed,
      warn: (text) => this.#warn(text),
    });
    this.#personPause = new PersonPause({ stop, clock, tell });
    stop.whenIdle = (act) => this.#thread.whenIdle(act);
    stop.onStop = (cause) => this.#stopped(cause);
  }

  /** Set when the run is to go on later, by whoever started it. */
  parked: Parked | undefined;

  /** Starts the agent, and retries where that may help, until there is a verdict. */
  async run(): Promise<RunOutcome> {
    const { spec, stop, budget, children } = this.#parts;
    // It may have been stopped before there was a thread to report that to.
    if (stop.cause !== undefined) this.#stopped(stop.cause);
    else if (this.#account.refusal !== undefined) stop.now(this.#account.refusal);
    if (spec.limits.max_cost_usd !== undefined || budget.limitsCost) this.#price = await this.#parts.price();
    this.#resume = this.#source.canResume ? this.#parts.begunWait?.session : undefined;
    const { begunWait } = this.#parts;
    if (begunWait !== undefined && stop.cause === undefined) await this.#limitWait.over(begunWait);
    for (;;) {
      await stop.standstill.over();
      this.#succession.begin();
      const verdict = await this.#attempt(this.#resume);
      const next = this.#mayGoOn(verdict) ? await this.#succession.after(verdict) : undefined;
      if (next === undefined) break;
      if (next.kind === 'fallback') {
        this.#resume = undefined;
        this.#handOver(verdict, next.next);
        continue;
      }
      const { canResume } = this.#source;
      const isWorthIt = this.#resume !== undefined || this.#thread.hasProgress;
      this.#resume = canResume && isWorthIt ? this.#thread.session : undefined;
      if (next.kind === 'wait' && this.#parts.parks) {
        this.parked = this.#limitWait.park(next.until, reasonOf(verdict), verdict.code);
        break;
      }
      await (next.kind === 'wait'
        ? this.#succession.wait(verdict, this.#resume, next.until)
        : this.#succession.retry(verdict, this.#resume));
    }
    this.#account.close();
    const price =
      this.#thread.needsPrice || spec.price !== undefined ? (this.#price ?? (await this.#parts.price())) : this.#price;
    const below = await children.usage();
    if (below !== undefined) this.#thread.reportChildren(below);
    await this.#checkExpectations(price);
    // After its last record there is nothing left to stop, however long the sinks take.
    stop.onStop = () => {};
    this.#personPause.tellEnd();
    stop.standstill.endAll();
    this.#isOver = true;
    return this.#thread.complete(this.#source.dialect, price);
  }

  async #checkExpectations(price: Price | undefined): Promise<void> {
    const { expectations, judges } = this.#parts;
    if (expectations === undefined || judges === undefined) return;
    const results = await expectations.judge(
      this.#thread.soFar(this.#source.dialect, price),
      await judges(this.#source),
    );
    for (const each of results) this.#tell({ type: 'expectation.checked', ...each });
  }

  async #attempt(resume: string | undefined): Promise<Verdict> {
    const { stop } = this.#parts;
    let end: ProcessEnd | undefined;
    this.#hasClaimed = false;
    this.#isGone = false;
    this.#isOpen = true;
    this.#watch.start();
    try {
      if (stop.cause === undefined && !(await this.#hasTooLittle()))
        end = await this.#source.produce(this.#begin(resume));
    } catch (error) {
      if (error instanceof Failure)
        this.#tell(...failureDrafts(codeOfClass[error.code], error.message, this.#hasClaimed));
      else stop.now({ kind: 'crash', error });
    }
    this.#watch.pause();
    this.#isOpen = false;
    this.#refusals.attemptOver();
    const cause = stop.cause ?? this.#refusals.cause;
    if (cause !== undefined)
      this.#tell(...stopDrafts(cause, { hasEnded: end !== undefined, hasClaimed: this.#hasClaimed }));
    else this.#settle(end);
    return this.#thread.endAttempt(end ?? stop.processEnd);
  }

  /** An agent whose quota is nearly used up is not started: that is how it ends, as if it had said so itself. */
  async #hasTooLittle(): Promise<boolean> {
    const { tooLittle, spec, stop } = this.#parts;
    const agent = this.#thread.agent ?? spec.agent;
    const model = this.#succession.fallbacks === 0 ? spec.model : this.#nextModel;
    const found = agent === undefined ? undefined : await tooLittle?.(agent, model);
    if (found === undefined || stop.cause !== undefined) return found !== undefined;
    const { message, window, used, resets_at_ms } = found;
    this.#tell({
      type: 'rate_limit.reported',
      status: 'below_minimum',
      window,
      utilization: used,
      ...present({ resets_at_ms }),
    });
    this.#tell(...failureDrafts('quota', message, this.#hasClaimed));
    return true;
  }

  /** An agent may report its usage only at its end: too late to stop it, but a limit that was exceeded still counts. */
  #settle(end: ProcessEnd | undefined): void {
    if (this.#isLimited) return;
    const limits = this.#limits;
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
  #left(): Partial<Record<keyof OwnLimits, number>> {
    const { cost = 0 } = this.#thread.spent(this.#price);
    const left = limitsLeft(this.#limits, { turns: this.#watch.turns, cost });
    const affordable = Math.min(left.max_cost_usd ?? Infinity, this.#account.costLeft ?? Infinity);
    return affordable === Infinity ? left : { ...left, max_cost_usd: Number(affordable.toPrecision(12)) };
  }

  #isSpent(): boolean {
    const isGone = Object.values(this.#left()).some((left) => left <= 0);
    return isGone || this.#watch.overspent(this.#watched) !== undefined;
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
      reserve: (request, gone) => this.#refusals.reserve(request, gone),
      settle: (number, used) => this.#refusals.settle(number, used),
      price: () => this.#parts.price(),
      refuse: (cause) => this.#refusals.refuse(cause),
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
    return this.#source.correct === undefined ? draft : this.#source.correct(draft);
  }

  #deliver(record: EventRecord): void {
    const { sinks, stop, expectations } = this.#parts;
    expectations?.record(record);
    if (this.#isOpen) {
      this.#limitWait.hear(record);
      this.#succession.hear(record);
    }
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

  /** A request of its agent was refused, for which the run will end. */
  #refused(cause: Cause): void {
    if (cause.kind === 'limit') {
      this.#isLimited = true;
      this.#thread.tell({ type: 'limit.reached', ...cause.limit }, 'wire');
    }
    this.#thread.stopped(stoppedBy(cause));
  }

  #warn(text: string): void {
    this.#tell({ type: 'log', stream: 'agent', level: 'warning', text });
  }

  #tell(...drafts: Draft[]): void {
    for (const draft of drafts) this.#thread.tell(draft);
  }

  /** Pending while a sink has more than it can take. */
  #room(): Promise<void> | undefined {
    const waiting = this.#parts.sinks.map((sink) => sink.ready?.()).filter((each) => each !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => {});
  }

  /** The agent is about to be told to stop. */
  #stopped(cause: Cause): void {
    this.#personPause.tellEnd();
    this.#limitWait.wake();
    this.#thread.stopped(stoppedBy(cause));
    if (cause.kind === 'limit' && cause !== this.#refusals.cause) this.#tell({ type: 'limit.reached', ...cause.limit });
  }

  /** Whether the verdict of an attempt is one that anything can follow. */
  #mayGoOn({ class: name }: Verdict): boolean {
    const isStopped = this.#parts.stop.cause !== undefined || this.#refusals.cause !== undefined;
    return !isStopped && name !== 'success' && !this.#isSpent();
  }

  get #soFar(): RunOutcome {
    return this.#thread.soFar(this.#source.dialect, this.#price);
  }

  /** What another process needs to go on with the run. */
  get #state(): Pick<Parked, 'session' | 'agent' | 'fallbacks' | 'used'> {
    const { stop, spec } = this.#parts;
    const { tokens, cost } = this.#thread.spent(this.#price);
    return {
      session: this.#resume,
      agent: this.#thread.agent ?? spec.agent,
      fallbacks: this.#succession.fallbacks,
      used: { cost, tokens, turns: this.#watch.turns, active_ms: Math.round(stop.standstill.activeMs) },
    };
  }

  #handOver(verdict: Verdict, next: NextAgent): void {
    this.#succession.handOver(verdict, next);
    this.#nextModel = next.model;
    this.#source = next.source;
    this.#watched = { ...next.limits, ...this.#changed };
    this.#watch.keep(this.#watched);
    this.#thread.introduce(next.introduction);
  }

  /** Stops the agent where it is; returns why that makes no difference. */
  pause(by: string): string | undefined {
    if (this.#isOver || this.#parts.stop.cause !== undefined) return 'it is ending';
    if (this.#personPause.isOn) return 'it is paused already';
    this.#personPause.begin(by);
    return undefined;
  }

  /** Lets it go on, also where it waits for a limit. */
  resume(by: string): string | undefined {
    if (this.#personPause.isOn) this.#personPause.end(by);
    else if (this.#limitWait.isWaiting) this.#limitWait.wake();
    else return 'it is not paused';
    return undefined;
  }

  /** Limits that hold from now on. */
  limit(order: LimitOrder, by: string): string | undefined {
    const { stop, budget } = this.#parts;
    if (this.#isOver || stop.cause !== undefined) return 'it is ending';
    stop.whenIdle(() => {
      for (const { name, limit, value } of limitsIn(order)) {
        const before = this.#limits[name];
        this.#tell({
          type: 'limit.changed',
          limit,
          maximum: maximumOf(name, value),
          by,
          ...present({ before: before === undefined ? undefined : maximumOf(name, before) }),
        });
      }
      Object.assign(this.#limits, order);
      Object.assign(this.#changed, order);
      this.#watched = { ...this.#watched, ...order };
      this.#watch.keep(this.#watched);
      this.#source.lift?.(order);
      budget.change(order);
      if (order.timeout_ms !== undefined) stop.limitTime(order.timeout_ms);
      const cause = this.#isOpen ? this.#watch.overspent(this.#watched) : undefined;
      if (cause !== undefined) stop.now(cause);
    });
    return undefined;
  }
}
