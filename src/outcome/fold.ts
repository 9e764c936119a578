import type { AgentEvent, EventOf } from '../events/event.ts';
import { isFinalOf } from '../events/rewritten-block.ts';
import { present } from '../present.ts';
import { version } from '../version.ts';
import { Artifacts } from './artifacts.ts';
import { BoundedList, listLimit } from './bounded.ts';
import { Calls, textOf } from './calls.ts';
import { allowingFlag } from './denials.ts';
import { costOf, unpriced, usageByModel } from './cost.ts';
import { errorDetails } from './error-details.ts';
import { LastClaim } from './last-claim.ts';
import { Lineage } from './lineage.ts';
import type { RunOutcome, Verdict } from './outcome.ts';
import type { Price } from './price.ts';
import { RunTimes } from './run-times.ts';
import { Shortener, unshortened } from './shortener.ts';
import type { Tokens } from './tokens.ts';
import { UsageTotals } from './usage.ts';
import { type FailOn, judge, lacksAnswer, noSignals } from './verdict.ts';

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
  /** When a live run began (ms since the epoch), which is before its first output. */
  startedAt?: number;
  /** What the caller knows about a stored run: the metadata of OpenCode's run outcome. */
  metadata?: { initial_prompt?: string; attempt_number?: number; retry_count?: number; phase_total_duration_ms?: number };
}

/** In every dialect, a call or its result has one of these among its first words. */
const aboutCall = /tool|function|command|patch|observation/i;

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
  #children: EventOf<'children.reported'> | undefined;
  readonly #usage = new UsageTotals();
  readonly #limits: BoundedList<EventOf<'limit.reached'>>;
  #signals = noSignals();
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
  #prompt: string | undefined;
  #model: string | undefined;
  #turns = 0;
  #messageId: string | undefined;
  #blockId: string | undefined;
  /** A call began since the last text: where messages have no ids, the next text is another message. */
  #hasCalledSince = false;
  #messageParts: BoundedList<string>;
  #lastError: EventOf<'error'> | undefined;
  #unknownLines = 0;

  constructor(options: FoldOptions = {}) {
    this.#full = options.full ?? false;
    this.#clean = options.clean ?? ((text) => text);
    this.#short = this.#full ? unshortened : new Shortener(this.#clean);
    this.#failOn = options.failOn ?? [];
    this.#metadata = options.metadata ?? {};
    this.#times = new RunTimes(options.startedAt);
    const limit = this.#full ? Number.POSITIVE_INFINITY : listLimit;
    this.#calls = new Calls(limit, this.#short);
    this.#artifacts = new Artifacts(limit);
    this.#warnings = new BoundedList(limit);
    this.#lineage = new Lineage(limit);
    this.#limits = new BoundedList(limit);
    this.#messageParts = new BoundedList(limit);
  }

  /** `at`: when it happened (ms since the epoch), if known. `synthetic`: it was added by the repair stage. */
  apply(event: AgentEvent, at?: number, synthetic = false): void {
    if (at !== undefined) this.#times.see(at);
    const claim = this.#lastClaim.see(event, synthetic);
    if (event.type === 'thread.started' && this.#thread !== undefined) this.#nextRun(event);
    else if (claim !== undefined) this.#goOn();
    switch (event.type) {
      case 'thread.started':
        this.#thread ??= event;
        this.#model = event.model ?? this.#model;
        this.#prompt ??= event.task;
        this.#lastSession = event.session_id;
        if (event.resumed === true) this.#usage.resume(usedBefore(event));
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
        this.#warn(`permission requested: ${event.title ?? event.what}${event.pattern === undefined ? '' : ` (${event.pattern})`}`);
        return;
      case 'permission.resolved':
        return event.decision === 'denied' ? this.#refused(event) : undefined;
      case 'usage.reported':
        if (event.model !== undefined) this.#model = event.model;
        return this.#usage.report(event, at);
      case 'children.reported':
        this.#children = event;
        return;
      case 'retry.scheduled':
        this.#warn(`retry${event.attempt === undefined ? '' : ` ${event.attempt}`}: ${event.cause}`);
        if (event.scope === 'run') this.#nextAttempt(event.resumes === true);
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
          this.#signals.damagedCall ||= aboutCall.test(event.text.slice(0, 1000));
        }
        if (event.cause === 'cut') this.#signals.cut = true;
        else if (event.cause === 'broken' && this.#signals.claim !== undefined) this.#signals.damagedEnd = true;
        else if (event.stream === 'stderr') this.#signals.stderr.push(this.#clean(event.text));
        else if (event.stream === 'agent' && (event.level === 'warning' || event.level === 'error')) this.#warn(event.text);
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
        return;
      case 'turn.completed':
      case 'text.delta':
      case 'reasoning.delta':
      case 'reasoning.completed':
      case 'item.output':
      case 'rate_limit.reported':
      case 'thread.completed':
        return;
      default:
        event satisfies never;
    }
  }

  /** Files, calls, warnings and cost cover the whole run; answer and verdict are those of the last attempt. */
  #nextAttempt(isResumed: boolean): void {
    this.#attempts += 1;
    this.#deniedBefore += this.#signals.attempted.denied;
    this.#signals = { ...noSignals(), warned: true };
    this.#calls.forgetOpen();
    this.#usage.nextAttempt(isResumed);
    this.#messageId = undefined;
    this.#messageParts = this.#messageParts.emptied();
    this.#lastError = undefined;
  }

  /** Another run introduces itself in the same stream. */
  #nextRun({ session_id }: EventOf<'thread.started'>): void {
    this.#hasUnended ||= this.#signals.claim === undefined;
    this.#goOn(true);
    this.#calls.forgetOpen();
    this.#usage.nextRun(session_id !== undefined && session_id === this.#lastSession);
  }

  /** Another run, or another turn of a conversation, in the same stream: earlier signals say nothing about it. */
  #goOn(isIntroduced = false): void {
    const { toolFailed, denied, warned, stderr, limit, claim, attempted, began, said, fatal, damagedEnd } = this.#signals;
    const before = judge(this.#signals);
    if (claim !== undefined) this.#continued += 1;
    this.#signals = { ...noSignals(), heard: true, toolFailed, denied, warned, stderr, earlier: claim };
    // What follows a failed or damaged end without another introduction may still belong to it.
    if (!isIntroduced) this.#signals.damagedEnd = damagedEnd;
    if (!isIntroduced && claim?.status === 'failed') this.#signals.attempted = attempted;
    else this.#deniedBefore += attempted.denied;
    if (claim !== undefined && limit !== this.#limitAtClaim) this.#signals.limit = limit;
    if (claim?.status === 'failed') this.#warn(`the run before the last one failed: ${claim.message ?? claim.code ?? 'nobody said why'}`);
    else if (before.class !== 'success' && (began || said || fatal !== undefined))
      this.#warn(`the run before the last one failed: ${before.evidence[0]?.detail}`);
    this.#messageId = undefined;
    this.#messageParts = this.#messageParts.emptied();
    this.#lastError = undefined;
  }

  /** The text parts of the last assistant message; blank ones are skipped, and so is the text of sub-agents. */
  #text(event: EventOf<'text.completed'>): void {
    if (event.parent_item_id !== undefined || event.text.trim() === '') return;
    // A message that has no id of its own has that of its turn.
    const isNext = this.#hasCalledSince && event.message_id === event.turn_id;
    if (event.message_id !== this.#messageId || isNext) {
      this.#messageId = event.message_id;
      this.#messageParts = this.#messageParts.emptied();
      this.#messageParts.push(event.text);
    } else if (isFinalOf(event.block_id, this.#blockId)) this.#messageParts.replaceLast(event.text);
    else this.#messageParts.push(event.text);
    this.#blockId = event.block_id;
    this.#hasCalledSince = false;
    this.#signals.said = true;
    this.#signals.answered = true;
    this.#signals.last = 'text';
    this.#signals.openDenial = undefined;
  }

  #begin(event: EventOf<'item.started'>, at: number | undefined): void {
    // Publishing comes after the answer, so no further answer is needed then.
    if (event.parent_item_id === undefined && event.kind !== 'publish') {
      this.#signals.answered = false;
      this.#hasCalledSince = true;
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
    const status = item.isDenied && event.status !== 'success' ? 'denied' : event.status;
    if (!item.delegates) this.#signals.attempted.called(item.kind, status, event.exit_code);
    if (item.main) {
      // A call that was left open began before later calls that failed, so it must not hide their failure.
      if (event.status !== 'abandoned' || this.#signals.last !== 'error') this.#signals.last = event.status;
      if (event.status === 'abandoned') this.#signals.leftOpen ??= this.#short.text(item.name, 200);
      if (event.status === 'denied') this.#denied(`${item.name}: ${event.error ?? textOf(event.output) ?? 'refused'}`);
    }
    if (event.status === 'success') this.#signals.did = true;
    else if (event.status === 'error') this.#signals.toolFailed = true;
  }

  /** The evidence is cut, so secrets are taken out first. */
  #denied(said: string): void {
    const what = this.#clean(said);
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
    const missing = unpriced(this.#usage);
    const isPriced = missing.some(([model]) => model !== '' || this.#model !== undefined);
    return isPriced && missing.every(([, { input, output }]) => input !== undefined && output !== undefined);
  }

  /** The verdict if nothing more followed. */
  get verdict(): Verdict {
    if (this.#lastClaim.settle() !== undefined) this.#goOn();
    return judge(this.#signals, this.#failOn);
  }

  /** Whether anything was said or done that a new start would throw away. */
  get hasProgress(): boolean {
    return this.#signals.said || this.#signals.did;
  }

  /** What the run has used so far. */
  spent(price?: Price): { tokens: number; cost: number | undefined } {
    const { input = 0, output = 0 } = this.#usage.total();
    return { tokens: input + output, cost: costOf(this.#usage, this.#model, price).cost };
  }

  outcome(dialect: string, notes: readonly Note[], price?: Price): RunOutcome {
    const session = this.#session ?? this.#thread?.session_id ?? '';
    const tokens = this.#usage.total();
    const cost = costOf(this.#usage, this.#model, price);
    const { verdict } = this;
    const failure = verdict.class === 'success' ? undefined : errorDetails(this.#signals, this.#lastError);
    const duration = this.#times.duration(this.#attempts);
    const omitted = optional({
      tool_calls: this.#calls.ended.omitted,
      artifacts: this.#artifacts.omitted,
      warnings: this.#warnings.omitted,
      branches: this.#lineage.omitted,
    });
    return {
      session_id: session,
      status: statusOf(verdict.class),
      message: this.#signals.claim?.has_answer === false ? '' : this.#messageParts.toArray().join('\n').trim(),
      metrics: {
        ...present({
          start_time_ms: this.#times.first,
          end_time_ms: this.#times.last,
          duration_ms: duration,
          tokens_used: tokens.input === undefined && tokens.output === undefined ? undefined : (tokens.input ?? 0) + (tokens.output ?? 0),
          input_tokens: tokens.input,
          output_tokens: tokens.output,
          reasoning_tokens: tokens.reasoning,
          cache_read_tokens: tokens.cacheRead,
          cache_write_tokens: tokens.cacheWrite,
          cost: cost.cost,
        }),
        cost_source: cost.source,
        ...present({ cost_is: cost.is }),
        ...present({ model_name: this.#model }),
        ...(this.#callsAreTold(dialect) ? { api_calls_count: this.#calls.ended.length, tool_calls_count: this.#calls.ended.length } : {}),
        turns: this.#signals.claim?.turns ?? this.#turns,
      },
      ...present({ usage_by_model: usageByModel(this.#usage, this.#model, price) }),
      ...present({ children: this.#childrenUsage(), lineage: this.#lineage.report(), publish: this.#publish() }),
      artifacts: this.#artifacts.toArray(),
      ...present({ error_details: failure }),
      tool_calls: this.#calls.ended.toArray(),
      ...present({ denials: this.#denials() }),
      warnings: [
        ...this.#warnings.toArray(),
        ...(verdict.class === 'success' && this.#signals.leftOpen !== undefined ? [`${stillAtWork}${this.#signals.leftOpen}`] : []),
        ...(verdict.class === 'success' && lacksAnswer(this.#signals) ? [emptyAnswer] : []),
        ...(verdict.class === 'success' && this.#hasUnended ? [unended] : []),
        ...(this.#usage.includesEarlierRuns ? [countsWholeSession] : []),
      ],
      metadata: {
        session_id: session,
        ...present({ phase_total_duration_ms: this.#metadata.phase_total_duration_ms ?? duration }),
        attempt_number: this.#metadata.attempt_number ?? this.#attempts,
        retry_count: this.#metadata.retry_count ?? this.#attempts - 1,
        initial_prompt: this.#metadata.initial_prompt ?? this.#prompt ?? '',
      },
      verdict,
      ...(this.#signals.expectations.length === 0 ? {} : { expectations: this.#signals.expectations.toArray() }),
      limits_hit: this.#limits.toArray().map(({ limit, value, maximum, message }) => ({ limit, ...present({ value, maximum, message }) })),
      provenance: {
        ...present({ agent: this.#thread?.agent, version: this.#thread?.agent_version }),
        dialect,
        runwire_version: version,
        unknown_lines: this.#unknownLines,
        notes: [
          ...notes.map(({ kind, what, count, line }) => ({ kind, what, count, ...present({ line }) })),
          ...(this.#continued === 0 ? [] : [{ kind: 'guessed', what: severalRuns, count: this.#continued }]),
        ],
      },
      ...(Object.keys(omitted).length === 0 ? {} : { omitted }),
    };
  }

  #childrenUsage(): RunOutcome['children'] {
    if (this.#children === undefined || this.#children.runs === 0) return undefined;
    const { runs, tokens_used, input_tokens, output_tokens, cost_usd: cost, cost_known, cost_is } = this.#children;
    return { runs, ...present({ tokens_used, input_tokens, output_tokens, cost }), cost_known, ...present({ cost_is }) };
  }

  #publish(): RunOutcome['publish'] {
    if (this.#published === undefined) return undefined;
    const { branch_id, status, remote, ref, commit, url, dry_run, message: told } = this.#published;
    const message = told === undefined ? undefined : this.#short.text(told);
    return { branch_id, status, ...present({ remote, ref, commit, url, dry_run, message }) };
  }

  #denials(): RunOutcome['denials'] {
    const { attempted } = this.#signals;
    const count = this.#deniedBefore + attempted.denied;
    if (count === 0) return undefined;
    return { count, every: attempted.isAllDenied, ...present({ flag: allowingFlag(this.#thread?.agent) }) };
  }

  #callsAreTold(dialect: string): boolean {
    if (this.#calls.ended.length > 0) return true;
    return this.#signals.claim?.turns === undefined && !silentAboutCalls.has(this.#thread?.agent ?? dialect);
  }
}

/** Agents that never report their calls: none reported does not mean none made. */
const silentAboutCalls = new Set(['continue']);
const severalRuns = 'it went on after it had finished: the last run or turn is judged';
export const emptyAnswer = 'the last answer is empty: nothing was said after the last tool call';
const stillAtWork = 'still at work when the run ended: ';
const unended = 'a run before the last one has no end: it was cut off, or the lines of several runs are mixed';
const countsWholeSession = 'the agent counts the tokens of the whole session, earlier runs included';

export function lateWarning({ limit, message }: { limit: string; message?: string | undefined }): string {
  return `${message ?? `the ${limit} limit was reached`}, and the agent told it when it had finished`;
}

function warningsOf({ left_running = 0, unread_bytes = 0 }: EventOf<'process.ended'>): string[] {
  return [
    ...(left_running > 0
      ? [`the agent left ${left_running} ${left_running === 1 ? 'process' : 'processes'} running; ended by runwire`]
      : []),
    ...(unread_bytes > 0 ? [`the last ${unread_bytes} bytes that the agent printed before it was stopped were not read`] : []),
  ];
}

function usedBefore(event: EventOf<'thread.started'>): Tokens {
  return present({
    input: event.earlier_input_tokens,
    output: event.earlier_output_tokens,
    reasoning: event.earlier_reasoning_tokens,
    cacheRead: event.earlier_cache_read_tokens,
  });
}

export function statusOf(verdict: RunOutcome['verdict']['class']): RunOutcome['status'] {
  if (verdict === 'success' || verdict === 'cancelled' || verdict === 'incomplete') return verdict;
  return 'error';
}

function optional<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0)) as Partial<T>;
}
