import type { Claim } from '../claims/claim.ts';
import { claimInWords, contradictedOf } from '../claims/in-words.ts';
import type { AgentEvent, EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { version } from '../version.ts';
import { AgentShares } from './agent-shares.ts';
import { Artifacts } from './artifacts.ts';
import { BoundedList, listLimit } from './bounded.ts';
import { Calls, outputText } from './calls.ts';
import { allowingFlag } from './denials.ts';
import { aboveZero, childrenOf, publishOf, statusOf, tokenMetrics, usedBefore } from './document.ts';
import { errorDetails } from './error-details.ts';
import { RunFigures } from './figures.ts';
import { ClaimsOfRun, shownClaims } from './claims.ts';
import { idleAnswer } from './idle-answer.ts';
import { LastClaim } from './last-claim.ts';
import { LastMessage } from './last-message.ts';
import { Lineage } from './lineage.ts';
import { NetworkFigures } from './network.ts';
import type { RunOutcome, Verdict } from './outcome.ts';
import type { Price } from './price.ts';
import { RunTimes } from './run-times.ts';
import { Shortener, unshortened } from './shortener.ts';
import { seemsAboutCall, seemsAboutFailure, tellsFailure } from './unread.ts';
import { type FailOn, judge, lacksAnswer, noSignals, type Signals } from './verdict.ts';
import {
  changeInWords,
  countsWholeSession,
  emptyAnswer,
  idleAnswers,
  lateWarning,
  severalRuns,
  stillAtWork,
  unended,
  warningsOf,
} from './warnings.ts';

export interface Note {
  kind: string;
  what: string;
  count: number;
  line?: number;
}

export interface FoldOptions {
  /** Show every entry and every byte instead of a compact document. */
  full?: boolean;
  /** What counts as a failure although the run continued. */
  failOn?: readonly FailOn[];
  /** Takes secrets out of a text before a part of it is cut away: half a secret cannot be recognised. */
  clean?: (text: string) => string;
  /** Whether the answer is checked against what happened; default: it is. */
  claims?: boolean;
  /** When a live run began (ms since the epoch), which is before its first output. */
  startedAt?: number;
  /** What the caller knows about a stored run: the metadata of OpenCode's run outcome. */
  metadata?: {
    initial_prompt?: string;
    attempt_number?: number;
    retry_count?: number;
    phase_total_duration_ms?: number;
  };
}

/** How much of an answer is quoted as evidence. */
const idleShown = 200;
/** How long a sentence of evidence may be. */
const evidenceShown = 400;

/** Folds the events of one run into its RunOutcome. The live page, the command line and the ledger all use this class. */
export class OutcomeFold {
  readonly #full: boolean;
  readonly #clean: (text: string) => string;
  readonly #short: Pick<Shortener, 'text' | 'json'>;
  readonly #failOn: readonly FailOn[];
  readonly #metadata: NonNullable<FoldOptions['metadata']>;
  readonly #times: RunTimes;
  readonly #calls: Calls;
  readonly #artifacts: Artifacts;
  readonly #warnings: BoundedList<string>;
  readonly #lineage: Lineage;
  #published: EventOf<'branch.published'> | undefined;
  #children: RunOutcome['children'];
  readonly #figures = new RunFigures();
  readonly #claims: ClaimsOfRun | undefined;
  readonly #limits: BoundedList<EventOf<'limit.reached'>>;
  #signals = noSignals();
  /** In an earlier turn of the same session, since this attempt began. */
  #hadProgress = false;
  readonly #lastClaim = new LastClaim();
  /** The limit that was known when the agent said that it had finished. */
  #limitAtClaim: EventOf<'limit.reached'> | undefined;
  /** How often it continued after it had finished. */
  #continued = 0;
  /** A run began before the previous one had ended. */
  #hasUnended = false;
  #attempts = 1;
  /** Denials in earlier attempts. */
  #deniedBefore = 0;
  #session: string | undefined;
  /** The session of the last run that introduced itself. */
  #lastSession: string | undefined;
  #thread: EventOf<'thread.started'> | undefined;
  readonly #network = new NetworkFigures();
  #prompt: string | undefined;
  #model: string | undefined;
  #turns = 0;
  readonly #message: LastMessage;
  #lastError: EventOf<'error'> | undefined;
  #unknownLines = 0;
  readonly #shares = new AgentShares();
  readonly #pauses = { limit: 0, person: 0 };

  constructor(options: FoldOptions = {}) {
    this.#full = options.full ?? false;
    this.#clean = options.clean ?? ((text) => text);
    this.#short = this.#full ? unshortened : new Shortener(this.#clean);
    this.#failOn = options.failOn ?? [];
    this.#claims = options.claims === false ? undefined : new ClaimsOfRun();
    this.#metadata = options.metadata ?? {};
    this.#times = new RunTimes(options.startedAt);
    const limit = this.#full ? Number.POSITIVE_INFINITY : listLimit;
    this.#calls = new Calls(limit, this.#short);
    this.#artifacts = new Artifacts(limit);
    this.#warnings = new BoundedList(limit);
    this.#lineage = new Lineage(limit);
    this.#limits = new BoundedList(limit);
    this.#message = new LastMessage(limit);
  }

  /** `at`: when it happened (ms since the epoch), if known. `synthetic`: it was added by the repair stage. */
  apply(event: AgentEvent, at?: number, synthetic = false): void {
    if (at !== undefined) this.#times.see(at);
    this.#claims?.see(event);
    const claim = this.#lastClaim.see(event, synthetic);
    if (event.type === 'thread.started' && this.#thread !== undefined) this.#nextRun(event);
    else if (claim !== undefined) this.#goOn();
    switch (event.type) {
      case 'thread.started':
        this.#thread ??= event;
        this.#shares.started(event);
        this.#model = event.model ?? this.#model;
        this.#prompt ??= event.task;
        this.#lastSession = event.session_id;
        this.#network.started(event);
        if (event.resumed === true) this.#figures.agent.resume(usedBefore(event));
        if (event.agent !== undefined) this.#signals.heard = true;
        return;
      case 'prompt.submitted':
        this.#prompt ??= event.text;
        return;
      case 'turn.started':
        this.#turns += 1;
        this.#signals.heard = true;
        this.#signals.began = true;
        if (event.model !== undefined) this.#model = event.model;
        return;
      case 'text.completed':
        return this.#text(event);
      case 'item.started':
        this.#signals.heard = true;
        this.#signals.began = true;
        return this.#begin(event, at);
      case 'item.completed':
        return this.#item(event, at);
      case 'file.edited':
        this.#signals.did = true;
        this.#signals.attempted.edited();
        return this.#artifacts.edited(event);
      case 'permission.requested':
        this.#warn(
          `permission requested: ${event.title ?? event.what}${event.pattern === undefined ? '' : ` (${event.pattern})`}`,
        );
        return;
      case 'permission.resolved':
        return event.decision === 'denied' ? this.#refused(event) : undefined;
      case 'usage.reported':
        if (event.model !== undefined) this.#model = event.model;
        return this.#figures.agent.report(event, at);
      case 'children.reported':
        this.#children = childrenOf(event);
        return;
      case 'model.responded': {
        const warning = this.#figures.wire.responded(event, at);
        this.#signals.modelFailure = this.#figures.wire.lastFailure;
        return warning === undefined ? undefined : this.#warn(warning);
      }
      case 'network.refused':
        return this.#network.refused(event);
      case 'retry.scheduled':
        this.#warn(`retry${event.attempt === undefined ? '' : ` ${event.attempt}`}: ${event.cause}`);
        if (event.scope === 'run') this.#nextAttempt(event);
        return;
      case 'run.paused':
        if (event.reason === 'person') this.#warn(`paused${event.by === undefined ? '' : ` by ${event.by}`}`);
        return;
      case 'run.resumed':
        this.#pauses[event.reason] += event.paused_ms;
        return;
      case 'limit.changed':
        this.#warn(changeInWords(event));
        return;
      case 'limit.reached':
        this.#limits.push(event);
        if (event.late !== true) this.#signals.limit = event;
        else {
          this.#signals.lateLimit = event;
          this.#warn(lateWarning(event));
        }
        return;
      case 'branch.updated':
        return this.#lineage.updated(event);
      case 'branch.published':
        this.#published = event;
        return;
      case 'expectation.checked':
        this.#signals.expectations.push({ rule: event.rule, passed: event.passed, detail: event.detail });
        return;
      case 'log':
        if (event.cause === 'broken' || event.cause === 'oversize') {
          this.#signals.damaged = true;
          this.#signals.damagedCall ||= seemsAboutCall(event.text);
          this.#signals.damagedFailure ||= seemsAboutFailure(event.text);
        }
        if (event.cause === 'cut') this.#signals.cut = true;
        else if (event.cause === 'broken' && this.#signals.claim !== undefined) this.#signals.damagedEnd = true;
        else if (event.stream === 'stderr') this.#signals.stderr.push(this.#clean(event.text));
        else if (event.stream === 'agent' && (event.level === 'warning' || event.level === 'error'))
          this.#warn(event.text);
        return;
      case 'error':
        this.#lastError = event;
        if (event.fatal) this.#signals.fatal = event;
        else this.#warn(`${event.scope}: ${event.message}`);
        return;
      case 'agent.finished':
        return this.#claim(event);
      case 'process.ended':
        this.#signals.process = event;
        if (event.session_id !== undefined) this.#session = event.session_id;
        for (const warning of warningsOf(event)) this.#warn(warning);
        return;
      case 'line.unknown':
        this.#unknownLines += 1;
        this.#signals.unreadFailure ||= this.#calls.isAnyOpen && tellsFailure(event.wire);
        return;
      case 'turn.completed':
      case 'text.delta':
      case 'reasoning.delta':
      case 'reasoning.completed':
      case 'item.output':
      case 'rate_limit.reported':
      case 'model.requested':
      case 'wire.recorded':
      case 'thread.completed':
        return;
      default:
        event satisfies never;
    }
  }

  /** Files, calls, warnings and cost cover the whole run; answer and verdict are those of the last attempt. */
  #nextAttempt(event: EventOf<'retry.scheduled'>): void {
    const isResumed = event.resumes === true;
    if (event.agent !== undefined) {
      const { verdict } = this;
      this.#shares.handOver(event, { verdict, model: this.#model, used: this.spent() });
      this.#model = event.model;
      this.#session = undefined;
    }
    this.#attempts += 1;
    this.#deniedBefore += this.#signals.attempted.denied;
    this.#signals = { ...noSignals(), warned: true };
    this.#hadProgress = false;
    this.#calls.forgetOpen();
    this.#figures.agent.nextAttempt(isResumed);
    this.#message.forget();
    this.#lastError = undefined;
  }

  /** Another run introduces itself in the same stream. */
  #nextRun({ session_id }: EventOf<'thread.started'>): void {
    this.#hasUnended ||= this.#signals.claim === undefined;
    const isSameSession = session_id !== undefined && session_id === this.#lastSession;
    this.#goOn(true, !isSameSession);
    this.#calls.forgetOpen();
    this.#figures.agent.nextRun(isSameSession);
  }

  /** Another run, or another turn of a conversation, in the same stream: earlier signals say nothing about it. */
  #goOn(isIntroduced = false, isOtherSession = false): void {
    const { toolFailed, denied, warned, stderr, limit, claim, attempted, began, hasText, fatal, damagedEnd } =
      this.#signals;
    const before = judge(this.#signals);
    this.#hadProgress = !isOtherSession && this.hasProgress;
    if (claim !== undefined) this.#continued += 1;
    this.#signals = { ...noSignals(), heard: true, toolFailed, denied, warned, stderr, earlier: claim };
    // What follows a failed or damaged end without another introduction may still belong to it.
    if (!isIntroduced) this.#signals.damagedEnd = damagedEnd;
    if (!isIntroduced && claim?.status === 'failed') this.#signals.attempted = attempted;
    else this.#deniedBefore += attempted.denied;
    if (claim !== undefined && limit !== this.#limitAtClaim) this.#signals.limit = limit;
    if (claim?.status === 'failed')
      this.#warn(`the run before the last one failed: ${claim.message ?? claim.code ?? 'nobody said why'}`);
    else if (before.class !== 'success' && (began || hasText || fatal !== undefined))
      this.#warn(`the run before the last one failed: ${before.evidence[0]?.detail}`);
    this.#message.forget();
    this.#lastError = undefined;
  }

  #text(event: EventOf<'text.completed'>): void {
    if (!this.#message.add(event)) return;
    this.#signals.hasText = true;
    this.#signals.answered = true;
    this.#signals.last = 'text';
    this.#signals.openDenial = undefined;
  }

  #begin(event: EventOf<'item.started'>, at: number | undefined): void {
    // Publishing comes after the answer, so no further answer is needed then.
    if (event.parent_item_id === undefined && event.kind !== 'publish') {
      this.#signals.answered = false;
      this.#message.called();
    }
    this.#calls.begin(event, at);
  }

  #refused(event: EventOf<'permission.resolved'>): void {
    const failed = this.#calls.takeFailed(event.item_id);
    if (failed !== undefined) this.#signals.attempted.called(failed.kind, 'denied', undefined);
    else if (!this.#calls.deny(event.item_id)) this.#signals.attempted.requestDenied(event.item_id !== undefined);
    this.#denied(`permission denied${event.by === undefined ? '' : ` by ${event.by}`}`);
  }

  #item(event: EventOf<'item.completed'>, at: number | undefined): void {
    const item = this.#calls.end(event, at);
    if (item === undefined) return;
    // In a damaged stream a denial is believed, and not that the call was made nevertheless.
    const isDenied = item.isDenied && (event.status !== 'success' || this.#signals.damaged);
    const status = isDenied ? 'denied' : event.status;
    if (!item.delegates)
      this.#signals.attempted.called(item.name === '' ? undefined : item.kind, status, event.exit_code);
    if (item.main) {
      // A call that was left open began before later calls that failed, so it must not hide their failure.
      if (event.status !== 'abandoned' || this.#signals.last !== 'error') this.#signals.last = event.status;
      if (event.status === 'abandoned') this.#signals.leftOpen ??= this.#short.text(item.name, 200);
      if (event.status === 'denied')
        this.#denied(`${item.name}: ${event.error ?? outputText(event.output) ?? 'refused'}`);
    }
    if (event.status === 'success') this.#signals.did = true;
    else if (event.status === 'error') this.#signals.toolFailed = true;
  }

  /** The evidence is cut, so secrets are taken out first. */
  #denied(reason: string): void {
    const what = this.#clean(reason);
    this.#signals.openDenial = what;
    this.#signals.denied = true;
    this.#warn(`denied: ${what}`);
  }

  #claim(event: EventOf<'agent.finished'>): void {
    const before = this.#signals.claim;
    if (before?.status === 'failed' && event.status === 'ok')
      this.#warn(`the agent said before that it failed: ${before.message ?? before.code ?? 'nobody said why'}`);
    this.#signals.claim = event;
    this.#limitAtClaim = this.#signals.limit;
    this.#signals.heard = true;
    this.#times.claim(event.duration_ms);
    if (event.turns !== undefined) this.#signals.attempted.toldTurns(event.turns);
    const { fatal } = this.#signals;
    if (event.status === 'ok' && fatal !== undefined) {
      this.#warn(`${fatal.scope}: ${fatal.message} (the agent went on)`);
      this.#signals.fatal = undefined;
    }
  }

  #warn(warning: string): void {
    this.#signals.warned = true;
    this.#warnings.push(this.#short.text(warning, 1000));
  }

  get needsPrice(): boolean {
    return this.#figures.needsPrice(this.#model);
  }

  /** The verdict if nothing more followed. */
  get verdict(): Verdict {
    if (this.#lastClaim.settle() !== undefined) this.#goOn();
    const verdict = judge(this.#judged, this.#failOn);
    return { ...verdict, evidence: [...verdict.evidence, ...this.#shares.evidence] };
  }

  get #judged(): Signals {
    // Nobody else asks for them before the end.
    const contradicted = this.#failOn.includes('claims')
      ? contradictedOf(this.#checked).map((each) => this.#short.text(claimInWords(each), evidenceShown))
      : [];
    const warned = this.#signals.warned || this.#figures.contradictions().length > 0;
    return { ...this.#signals, swaps: this.#figures.wire.swaps, warned, idle: this.#idle, contradicted };
  }

  get #answer(): string {
    return this.#signals.claim?.has_answer === false ? '' : this.#message.text;
  }

  get #checked(): readonly Claim[] {
    return this.#claims?.of(this.#answer) ?? [];
  }

  /** Only where it matters: an agent that says that it is done, and does not hide its calls. */
  get #idle(): Signals['idle'] {
    const { claim, answered, did } = this.#signals;
    const hasCalled = this.#calls.count > 0 || did;
    // It may have made calls that nobody reports.
    const isSilent = !hasCalled && ((claim?.turns ?? 1) > 1 || silentAboutCalls.has(this.#thread?.agent ?? ''));
    if (claim?.status !== 'ok' || !answered || isSilent) return undefined;
    const { text } = this.#message;
    const kind = idleAnswer(text, { prompt: this.#metadata.initial_prompt ?? this.#prompt ?? '', hasCalled });
    return kind === undefined ? undefined : { kind, words: this.#clean(text.slice(0, idleShown)) };
  }

  /** Whether anything was said or done that a new start would throw away. */
  get hasProgress(): boolean {
    return this.#hadProgress || this.#signals.hasText || this.#signals.did;
  }

  /** What the run has used so far. */
  spent(price?: Price): { tokens: number; cost: number | undefined } {
    const { tokens, cost } = this.#figures.total(this.#model, price);
    return { tokens: (tokens.input ?? 0) + (tokens.output ?? 0), cost: cost.cost };
  }

  outcome(dialect: string, notes: readonly Note[], price?: Price): RunOutcome {
    const session =
      this.#session ?? (this.#shares.last === undefined ? this.#thread?.session_id : this.#lastSession) ?? '';
    const { tokens, cost } = this.#figures.total(this.#model, price);
    const { verdict } = this;
    const idle = this.#idle;
    const failure = verdict.class === 'success' ? undefined : errorDetails(this.#signals, this.#lastError);
    const duration = this.#times.duration(this.#attempts);
    const claims = shownClaims(this.#checked, this.#full, (text, most) => this.#short.text(text, most));
    const omitted = aboveZero({
      tool_calls: this.#calls.omitted,
      artifacts: this.#artifacts.omitted,
      warnings: this.#warnings.omitted,
      claims: claims.omitted,
      branches: this.#lineage.omitted,
    });
    return {
      session_id: session,
      status: statusOf(verdict.class),
      message: this.#answer,
      metrics: {
        ...present({
          start_time_ms: this.#times.first,
          end_time_ms: this.#times.last,
          duration_ms: duration,
          ...tokenMetrics(tokens),
          cost: cost.cost,
        }),
        cost_source: cost.source,
        ...present({ cost_is: cost.is }),
        ...present({ model_name: this.#figures.model(this.#model) }),
        ...(this.#callsAreTold(dialect)
          ? { api_calls_count: this.#calls.count, tool_calls_count: this.#calls.count }
          : {}),
        turns: this.#signals.claim?.turns ?? (this.#turns || this.#figures.wire.turns),
        ...aboveZero({ waited_ms: this.#pauses.limit, paused_ms: this.#pauses.person }),
      },
      ...present({
        agents: this.#shares.report({ verdict, model: this.#figures.model(this.#model), used: this.spent(price) }),
        usage_by_model: this.#figures.byModel(this.#model, price),
        usage_over_time: this.#figures.overTime(this.#times.first, this.#model, price),
        models_served: this.#figures.wire.modelsServed,
        wire: this.#figures.report(this.#model, price),
        network: this.#network.report(),
      }),
      ...present({
        children: this.#children,
        lineage: this.#lineage.report(),
        publish: publishOf(this.#published, this.#short),
      }),
      artifacts: this.#artifacts.toArray(),
      ...present({ error_details: failure }),
      tool_calls: this.#calls.toArray(),
      ...present({ denials: this.#denials() }),
      warnings: [
        ...this.#warnings.toArray(),
        ...(verdict.class === 'success' && this.#signals.leftOpen !== undefined
          ? [`${stillAtWork}${this.#signals.leftOpen}`]
          : []),
        ...(verdict.class === 'success' && lacksAnswer(this.#signals) ? [emptyAnswer] : []),
        ...(verdict.class === 'success' && idle !== undefined ? [idleAnswers[idle.kind]] : []),
        ...(verdict.class === 'success' && this.#hasUnended ? [unended] : []),
        ...(this.#figures.agent.includesEarlierRuns && !this.#figures.wire.counts ? [countsWholeSession] : []),
        ...this.#figures.contradictions(this.#model, price),
        ...this.#figures.wire.gaps,
      ],
      metadata: {
        session_id: session,
        ...present({ phase_total_duration_ms: this.#metadata.phase_total_duration_ms ?? duration }),
        attempt_number: this.#metadata.attempt_number ?? this.#attempts,
        retry_count: this.#metadata.retry_count ?? this.#attempts - 1,
        initial_prompt: this.#metadata.initial_prompt ?? this.#prompt ?? '',
      },
      verdict,
      ...(claims.shown.length === 0 ? {} : { claims: claims.shown }),
      ...(this.#signals.expectations.length === 0 ? {} : { expectations: this.#signals.expectations.toArray() }),
      limits_hit: this.#limits
        .toArray()
        .map(({ limit, value, maximum, message }) => ({ limit, ...present({ value, maximum, message }) })),
      provenance: {
        ...present(this.#shares.last ?? { agent: this.#thread?.agent, version: this.#thread?.agent_version }),
        dialect,
        runwire_version: version,
        unknown_lines: this.#unknownLines,
        ...present({ prices: this.#figures.prices(this.#model, price) }),
        notes: [
          ...notes.map(({ kind, what, count, line }) => ({ kind, what, count, ...present({ line }) })),
          ...(this.#continued === 0 ? [] : [{ kind: 'guessed', what: severalRuns, count: this.#continued }]),
        ],
      },
      ...(Object.keys(omitted).length === 0 ? {} : { omitted }),
    };
  }

  #denials(): RunOutcome['denials'] {
    const { attempted } = this.#signals;
    const count = this.#deniedBefore + attempted.denied;
    if (count === 0) return undefined;
    return { count, every: attempted.isAllDenied, ...present({ flag: allowingFlag(this.#thread?.agent) }) };
  }

  #callsAreTold(dialect: string): boolean {
    if (this.#calls.count > 0) return true;
    return this.#signals.claim?.turns === undefined && !silentAboutCalls.has(this.#thread?.agent ?? dialect);
  }
}

/** Agents that never report their calls: none reported does not mean none made. */
const silentAboutCalls = new Set(['continue', 'auggie']);
