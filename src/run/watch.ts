import type { Dialect } from '../dialects/dialect.ts';
import type { AgentEvent, EventOf } from '../events/event.ts';
import { patient } from '../processes/patience.ts';
import { asksForPermission } from './question.ts';
import { type Cause, longestTimer } from './stop.ts';

/** What a run may take. Unset: no limit. */
export interface Limits {
  maxTurns?: number | undefined;
  maxCostUsd?: number | undefined;
  /** Input and output tokens together. */
  maxTokens?: number | undefined;
  /** Of the whole run, its retries included. */
  timeoutMs?: number | undefined;
  /** Without a byte on either stream. */
  idleTimeoutMs?: number | undefined;
  /** Until the agent says anything that we understand. */
  firstEventTimeoutMs?: number | undefined;
  /** How long a question that nobody can answer may stay open; default: 20 s. */
  permissionTimeoutMs?: number | undefined;
}

const defaultPermissionMs = patient(20_000);
/** An agent that said its last word may take this long to leave. */
const lingerMs = patient(10_000);
/** Where there is no last word: when a model's answer is whole and this long nothing follows, it was the last. */
const silentMs = patient(60_000);
/** What an agent prints after its last word gives it more time to leave, but not for ever: so many times as much. */
const overstay = 6;
/** Work that it left open and goes on with after its last word, a background task for one, gives it this many times that. */
const working = 10;
/** A question may come letter by letter, and need not end its line. */
const tailBytes = 8000;

type StreamName = 'stdout' | 'stderr';
type TimerName = 'first' | 'idle' | 'question' | 'linger' | 'overstay';

export interface WatchOptions {
  limits: Limits;
  /** What the run took so far. */
  spent(): { tokens: number; cost: number | undefined };
  stop(cause: Cause): void;
}

/**
 * Keeps the limits of a run that its agent cannot keep or does not know, from what the agent says while it runs. It
 * counts over all attempts of a run.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #limits: Limits;
  readonly #timers = new Map<TimerName, NodeJS.Timeout>();
  /** Questions by the id of their event, and by the stream that ends with one. */
  readonly #open = new Map<string, string>();
  readonly #typed = new Map<StreamName, string>();
  readonly #tails = new Map<StreamName, Buffer>();
  #deaf = 0;
  /** How long it was given to leave; infinite: it has more to do. */
  #leavingMs = Infinity;
  #turns = 0;
  /** Items of the main thread that ended, for agents whose turn is the whole run. */
  #items = 0;
  readonly #subItems = new Set<string>();
  readonly #openItems = new Set<string>();
  #isWholeRun = false;
  #hasLastWord = true;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  /** The agent is started, for the first time or again. */
  start(): void {
    this.#goesOn();
    this.#openItems.clear();
    const { firstEventTimeoutMs } = this.#limits;
    if (firstEventTimeoutMs !== undefined)
      this.#after('first', firstEventTimeoutMs, () => this.#late('first_event', firstEventTimeoutMs, 'no event came in'));
    this.#restartIdle();
  }

  /** The agent is gone. */
  pause(): void {
    for (const name of this.#timers.keys()) this.#clear(name);
  }

  /** What the dialect of the agent can tell. */
  reads({ turnIsRun, hasNoLastWord }: Pick<Dialect, 'turnIsRun' | 'hasNoLastWord'>): void {
    // Every tool call then counts as a turn.
    this.#isWholeRun = turnIsRun === true;
    this.#hasLastWord = hasNoLastWord !== true;
  }

  output(stream: StreamName, chunk: Uint8Array): void {
    this.#restartIdle();
    if (this.#timers.has('linger')) this.#restart('linger');
    const tail = Buffer.concat([this.#tails.get(stream) ?? Buffer.alloc(0), chunk.subarray(-tailBytes)]).subarray(-tailBytes);
    this.#tails.set(stream, tail);
    const question = asksForPermission(tail.toString());
    if (question !== undefined) {
      this.#typed.set(stream, question);
      this.#asked();
    } else if (this.#typed.delete(stream)) this.#answered();
  }

  /** While we wait for somebody else, we do not hear the agent: that it says nothing means nothing. */
  async deafUntil(heard: Promise<void>): Promise<void> {
    this.#deaf += 1;
    try {
      await heard;
    } finally {
      this.#deaf -= 1;
    }
  }

  event(event: AgentEvent): void {
    if (event.type !== 'log' && event.type !== 'thread.completed') this.#clear('first');
    this.#restartIdle();
    switch (event.type) {
      case 'permission.requested':
        this.#open.set(event.permission_id, event.title ?? event.pattern ?? event.what);
        return this.#asked();
      case 'permission.resolved':
        this.#open.delete(event.permission_id);
        return this.#answered();
      case 'turn.started':
        this.#goesOn();
        this.#turns += 1;
        // The agent may not say why its turn ended; that it begins one more is proof enough.
        if (this.#limits.maxTurns !== undefined && this.#turns > this.#limits.maxTurns) this.#turnLimit(this.#limits.maxTurns);
        return;
      case 'turn.completed':
        if (event.finish_reason === 'stop' && !this.#hasLastWord) this.#leaves(silentMs);
        else if (event.finish_reason === 'tool_calls' && this.#turns >= (this.#limits.maxTurns ?? Infinity)) this.#turnLimit(this.#turns);
        return;
      case 'item.started':
        this.#goesOn();
        this.#openItems.add(event.item_id);
        if (event.parent_item_id !== undefined) this.#subItems.add(event.item_id);
        return;
      case 'item.completed':
        this.#goesOn();
        this.#openItems.delete(event.item_id);
        if (!this.#subItems.delete(event.item_id)) this.#items += 1;
        if (this.#isWholeRun && this.#items >= (this.#limits.maxTurns ?? Infinity)) this.#turnLimit(this.#items);
        return;
      case 'text.delta':
      case 'reasoning.delta':
        return this.#goesOn();
      case 'usage.reported':
        return this.#bill();
      case 'agent.finished':
        return this.#leaves(lingerMs);
      default:
    }
  }

  #turnLimit(value: number): void {
    const maximum = this.#limits.maxTurns;
    this.#reach({
      limit: 'turns',
      value,
      ...(maximum === undefined ? {} : { maximum }),
      message: `the turn limit of ${maximum} was reached`,
    });
  }

  #bill(): void {
    const { maxCostUsd, maxTokens } = this.#limits;
    if (maxCostUsd === undefined && maxTokens === undefined) return;
    const { tokens, cost } = this.#options.spent();
    if (maxCostUsd !== undefined && cost !== undefined && cost >= maxCostUsd)
      this.#reach({ limit: 'cost', value: cost, maximum: maxCostUsd, message: `the cost limit of $${maxCostUsd} was reached` });
    else if (maxTokens !== undefined && tokens >= maxTokens)
      this.#reach({ limit: 'tokens', value: tokens, maximum: maxTokens, message: `the token limit of ${maxTokens} was reached` });
  }

  #late(limit: 'first_event' | 'idle', ms: number, words: string): void {
    this.#reach({ limit, value: ms / 1000, maximum: ms / 1000, message: `${words} ${ms / 1000} s` });
  }

  #reach(limit: Omit<EventOf<'limit.reached'>, 'type'> & { message: string }): void {
    this.#options.stop({ kind: 'limit', limit });
  }

  /** The same question again and again is one question. */
  #asked(): void {
    if (this.#timers.has('question')) return;
    this.#after('question', this.#limits.permissionTimeoutMs ?? defaultPermissionMs, () => {
      const [typed] = this.#typed.values();
      const [id, what] = [...this.#open].at(-1) ?? [];
      if (id !== undefined && what !== undefined) this.#options.stop({ kind: 'question', what, id });
      else if (typed !== undefined) this.#options.stop({ kind: 'question', what: typed });
    });
  }

  #answered(): void {
    if (this.#open.size + this.#typed.size === 0) this.#clear('question');
  }

  #forgetQuestions(): void {
    this.#open.clear();
    this.#typed.clear();
    this.#tails.clear();
    this.#clear('question');
  }

  /** Whatever was asked, the agent does not wait for it. */
  #goesOn(): void {
    this.#forgetQuestions();
    this.#leavingMs = Infinity;
    this.#clear('linger');
    this.#clear('overstay');
  }

  /** There is nothing left to do for it. */
  #leaves(ms: number): void {
    const dismiss = (): void => this.#options.stop({ kind: 'done' });
    this.#after('linger', ms, () => {
      if (this.#openItems.size === 0) dismiss();
    });
    if (ms >= this.#leavingMs) return;
    this.#leavingMs = ms;
    this.#after('overstay', ms * overstay * (this.#openItems.size === 0 ? 1 : working), dismiss);
  }

  #restartIdle(): void {
    const { idleTimeoutMs } = this.#limits;
    if (idleTimeoutMs === undefined) return;
    if (this.#timers.has('idle')) this.#restart('idle');
    else this.#after('idle', idleTimeoutMs, () => this.#late('idle', idleTimeoutMs, 'nothing came for'));
  }

  #restart(name: 'idle' | 'linger'): void {
    this.#timers.get(name)?.refresh();
  }

  #after(name: TimerName, ms: number, then: () => void): void {
    this.#clear(name);
    const due = (): void => (this.#deaf > 0 ? this.#after(name, ms, then) : then());
    this.#timers.set(name, setTimeout(due, Math.min(ms, longestTimer)));
  }

  #clear(name: TimerName): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}
