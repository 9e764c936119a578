import type { SessionTotals } from '../agents/session-meter.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { timeInWords } from '../time/duration.ts';
import type { AgentEvent } from '../events/event.ts';
import type { Price } from '../outcome/price.ts';
import { patient } from '../processes/patience.ts';
import { dollarsSet } from '../terminal/figures.ts';
import { asksForPermission } from './question.ts';
import type { Limits } from '../contract/spec.ts';
import type { Spent } from './budget.ts';
import { type Repetition, Repeats } from './repeats/repeats.ts';
import { RunTimer, type Standstill } from './standstill.ts';
import { type Cause, longestTimer, reached } from './stop.ts';

const defaultPermissionMs = patient(20_000);
/** How long an agent may take to exit after it reported its end. */
const lingerMs = patient(10_000);
/** For agents that report no end: a complete model answer that nothing follows for this long was the last. */
const silentMs = patient(60_000);
/** Output after its end gives an agent more time to exit, but at most this many times as much. */
const lingerFactor = 6;
/** Work still open after its end, such as a background task, multiplies that by this. */
const working = 10;
/** So many repetitions are worth a warning, if they do not stop the run. */
const warnedRepeats = 5;
/** A run that goes round in many circles says so this often. */
const mostWarnings = 5;
/** A question may arrive letter by letter, and need not end its line. */
const tailBytes = 8000;

type StreamName = 'stdout' | 'stderr';
type TimerName = 'first' | 'idle' | 'question' | 'linger' | 'latest';

export interface WatchOptions {
  limits: Limits;
  /** Its clocks do not go on while the run stands still. */
  standstill: Standstill;
  /** What the run has used so far. */
  spent(): Spent;
  /** A timeout has expired. */
  onDue(cause: Cause): void;
  /** Something that people should know, though the run goes on. Unset: somebody else tells them. */
  warn?: ((text: string) => void) | undefined;
}

/**
 * Enforces the limits that an agent cannot enforce or does not know, from what the agent reports while it runs. It
 * counts over all attempts of a run. It stops nothing by itself: it returns why the run should stop.
 */
export class Watch {
  readonly #options: WatchOptions;
  #limits: Limits;
  readonly #timers = new Map<TimerName, RunTimer>();
  /** Open questions: by the id of their event, and by the stream that ends with one. */
  readonly #open = new Map<string, string>();
  readonly #typed = new Map<StreamName, string>();
  readonly #tails = new Map<StreamName, Buffer>();
  /** How many sinks we are waiting for. */
  #waits = 0;
  /** How long it was given to exit; infinite: it has more to do. */
  #leavingMs = Infinity;
  #turns = 0;
  /** Turns counted in the agent's own session files. */
  #booked = 0;
  /** Completed items of the main thread, for agents whose turn is the whole run. */
  #items = 0;
  readonly #subItems = new Set<string>();
  readonly #openItems = new Set<string>();
  #repeats = new Repeats();
  #warnings = 0;
  #isWholeRun = false;
  #hasLastWord = true;
  /** Its requests to models are seen, and those beyond the limit refused: no need to tell turns from what it reports. */
  #isWired = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  /** Limits are others now: those that were changed, and those that another agent does not keep by itself. */
  keep(limits: Limits): void {
    this.#limits = limits;
  }

  /** How many turns began, over all attempts. */
  get turns(): number {
    return this.#turns;
  }

  /** The agent is started, for the first time or again. */
  start(): void {
    this.#goesOn();
    this.#openItems.clear();
    // Started again, it may well do the same again.
    this.#repeats = new Repeats();
    const { first_event_timeout_ms: ms } = this.#limits;
    if (ms !== undefined) this.#after('first', ms, () => late('first_event', ms, 'no event came in'));
    this.#restartIdle();
  }

  /** The agent has exited. */
  pause(): void {
    for (const name of this.#timers.keys()) this.#clear(name);
  }

  /** Takes note of what the agent's dialect can report. */
  reads({ turnIsRun, hasNoLastWord }: Pick<Dialect, 'turnIsRun' | 'hasNoLastWord'>): void {
    // Every tool call then counts as a turn.
    this.#isWholeRun = turnIsRun === true;
    this.#hasLastWord = hasNoLastWord !== true;
  }

  output(stream: StreamName, chunk: Uint8Array): void {
    this.#restartIdle();
    if (this.#timers.has('linger')) this.#restart('linger');
    const tail = Buffer.concat([this.#tails.get(stream) ?? Buffer.alloc(0), chunk.subarray(-tailBytes)]).subarray(
      -tailBytes,
    );
    this.#tails.set(stream, tail);
    const question = asksForPermission(tail.toString());
    if (question !== undefined) {
      this.#typed.set(stream, question);
      this.#waitForAnswer();
    } else if (this.#typed.delete(stream)) this.#answered();
  }

  /** While we wait for a slow reader, we do not read the agent's output: its silence means nothing. */
  async waitFor(ready: Promise<void>): Promise<void> {
    this.#waits += 1;
    try {
      await ready;
    } finally {
      this.#waits -= 1;
    }
  }

  /** Returns why the run should stop now, if it should. */
  event(event: AgentEvent): Cause | undefined {
    if (event.type !== 'log' && event.type !== 'thread.completed') this.#clear('first');
    this.#restartIdle();
    switch (event.type) {
      case 'permission.requested':
        this.#open.set(event.permission_id, event.title ?? event.pattern ?? event.what);
        this.#waitForAnswer();
        return undefined;
      case 'permission.resolved':
        this.#open.delete(event.permission_id);
        this.#answered();
        return undefined;
      case 'model.requested':
        this.#isWired = true;
        return undefined;
      case 'turn.started':
        this.#goesOn();
        this.#turns += 1;
        // The agent may not report why its turn ended; one more turn is proof enough.
        return this.#turns > this.#maxTurns ? this.#turnLimit(this.#maxTurns) : undefined;
      case 'turn.completed':
        if (event.finish_reason === 'stop' && !this.#hasLastWord) this.#leaves(silentMs);
        return event.finish_reason === 'tool_calls' && this.#turns >= this.#maxTurns
          ? this.#turnLimit(this.#turns)
          : undefined;
      case 'item.started':
        this.#goesOn();
        this.#openItems.add(event.item_id);
        if (event.parent_item_id !== undefined) this.#subItems.add(event.item_id);
        this.#repeats.started(event);
        return undefined;
      case 'item.output':
        this.#repeats.printed(event);
        return undefined;
      case 'item.completed': {
        this.#goesOn();
        this.#openItems.delete(event.item_id);
        if (!this.#subItems.delete(event.item_id)) this.#items += 1;
        const loop = this.#loop(this.#repeats.completed(event));
        return this.#isWholeRun && this.#items >= this.#maxTurns ? this.#turnLimit(this.#items) : loop;
      }
      case 'text.delta':
      case 'reasoning.delta':
        this.#goesOn();
        return undefined;
      case 'usage.reported':
      case 'model.responded':
        return this.#bill();
      case 'agent.finished':
        this.#leaves(lingerMs);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Totals from the agent's own session files, where it reports none itself; returns why the run should stop now, if it should. */
  counted(totals: SessionTotals, price?: Price): Cause | undefined {
    const {
      turns,
      goesOn,
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: cacheRead = input,
      costUsd = 0,
    } = totals;
    this.#booked = turns;
    if (turns > this.#maxTurns || (turns === this.#maxTurns && goesOn)) return this.#turnLimit(this.#maxTurns);
    const before = this.#options.spent();
    const cost = costUsd > 0 ? costUsd : price?.(undefined, { input, output, cacheRead });
    return this.#billed({
      tokens: before.tokens + input + output,
      cost: cost === undefined ? before.cost : (before.cost ?? 0) + cost,
    });
  }

  get #maxTurns(): number {
    return this.#isWired ? Infinity : (this.#limits.max_turns ?? Infinity);
  }

  #turnLimit(value: number): Cause {
    const maximum = this.#maxTurns;
    return reached({ limit: 'turns', value, maximum, message: `the turn limit of ${maximum} was reached` });
  }

  /** The agent does the same again and again; returns why the run should stop now, if that is asked for. */
  #loop(repetition: Repetition | undefined): Cause | undefined {
    if (repetition === undefined) return undefined;
    const { count: value, message } = repetition;
    const { max_repeats: maximum = Infinity } = this.#limits;
    if (value >= maximum) return reached({ limit: 'repeats', value, maximum, message });
    if (value !== warnedRepeats || this.#warnings === mostWarnings) return undefined;
    this.#warnings += 1;
    this.#options.warn?.(`${message}; --max-repeats stops a run that goes in circles`);
    return undefined;
  }

  /** A limit that the run has exceeded, as far as is known. */
  overspent(limits: Limits): Cause | undefined {
    return this.#booked > this.#maxTurns ? this.#turnLimit(this.#booked) : this.#bill(limits);
  }

  #bill(limits = this.#limits): Cause | undefined {
    const { max_cost_usd: maxCost, max_tokens: maxTokens } = limits;
    return maxCost === undefined && maxTokens === undefined ? undefined : this.#billed(this.#options.spent(), limits);
  }

  #billed({ tokens, cost }: Spent, { max_cost_usd: maxCost, max_tokens: maxTokens } = this.#limits): Cause | undefined {
    if (maxCost !== undefined && cost !== undefined && cost >= maxCost)
      return reached({
        limit: 'cost',
        value: cost,
        maximum: maxCost,
        message: `the cost limit of ${dollarsSet(maxCost)} was reached`,
      });
    if (maxTokens !== undefined && tokens >= maxTokens)
      return reached({
        limit: 'tokens',
        value: tokens,
        maximum: maxTokens,
        message: `the token limit of ${maxTokens} was reached`,
      });
    return undefined;
  }

  /** A repeated question does not restart the timer. */
  #waitForAnswer(): void {
    if (this.#timers.has('question')) return;
    this.#after('question', this.#limits.permission_timeout_ms ?? defaultPermissionMs, () => {
      const [typed] = this.#typed.values();
      const [id, what] = [...this.#open].at(-1) ?? [];
      if (id !== undefined && what !== undefined) return { kind: 'question', what, id };
      return typed === undefined ? undefined : { kind: 'question', what: typed };
    });
  }

  #answered(): void {
    if (this.#open.size + this.#typed.size === 0) this.#clear('question');
  }

  #forgetQuestions(): void {
    if (this.#open.size + this.#tails.size === 0) return;
    this.#open.clear();
    this.#typed.clear();
    this.#tails.clear();
    this.#clear('question');
  }

  /** The agent continues, so it is not waiting for any answer. */
  #goesOn(): void {
    this.#forgetQuestions();
    this.#leavingMs = Infinity;
    this.#clear('linger');
    this.#clear('latest');
  }

  /** The agent has nothing left to do. */
  #leaves(ms: number): void {
    this.#after('linger', ms, () => (this.#openItems.size === 0 ? { kind: 'done' } : undefined));
    if (ms >= this.#leavingMs) return;
    this.#leavingMs = ms;
    this.#after('latest', ms * lingerFactor * (this.#openItems.size === 0 ? 1 : working), () => ({ kind: 'done' }));
  }

  #restartIdle(): void {
    const { idle_timeout_ms: ms } = this.#limits;
    if (ms === undefined) return;
    if (this.#timers.has('idle')) this.#restart('idle');
    else this.#after('idle', ms, () => late('idle', ms, 'nothing came for'));
  }

  #restart(name: 'idle' | 'linger'): void {
    this.#timers.get(name)?.refresh();
  }

  #after(name: TimerName, ms: number, causeOf: () => Cause | undefined): void {
    this.#clear(name);
    const due = (): void => {
      if (this.#waits > 0) return this.#after(name, ms, causeOf);
      const cause = causeOf();
      if (cause !== undefined) this.#options.onDue(cause);
    };
    this.#timers.set(name, new RunTimer(this.#options.standstill, Math.min(ms, longestTimer), due));
  }

  #clear(name: TimerName): void {
    // Called for every event, and there is seldom a timer.
    if (this.#timers.size === 0) return;
    const timer = this.#timers.get(name);
    if (timer === undefined) return;
    timer.clear();
    this.#timers.delete(name);
  }
}

function late(limit: 'first_event' | 'idle', ms: number, words: string): Cause {
  return reached({ limit, value: ms / 1000, maximum: ms / 1000, message: `${words} ${timeInWords(ms)}` });
}
