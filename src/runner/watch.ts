import type { AgentEvent, EventOf } from '../events/event.ts';
import { patient } from './patience.ts';
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

/** A question that came as a line of text has no id. */
const asText = '';
const defaultPermissionMs = patient(20_000);
/** An agent that said its last word may take this long to leave. */
const lingerMs = patient(10_000);
/** Some agents have no last word: when a model's answer is whole and this long nothing follows, it was the last. */
const silentMs = patient(60_000);

export interface WatchOptions {
  limits: Limits;
  /** What the run took so far. */
  spent(): { tokens: number; cost: number | undefined };
  stop(cause: Cause): void;
  /** Tests do not wait as long as people do. */
  lingerMs?: number;
}

/**
 * Keeps the limits of a run that its agent cannot keep or does not know, from what the agent says while it runs. It
 * counts over all attempts of a run.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #limits: Limits;
  readonly #timers = new Map<'first' | 'idle' | 'question' | 'linger', NodeJS.Timeout>();
  readonly #open = new Map<string, string>();
  #turns = 0;
  /** Items of the main thread that ended, for agents whose turn is the whole run. */
  #items = 0;
  readonly #subItems = new Set<string>();
  #isWholeRun = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  /** The agent is started, for the first time or again. */
  start(): void {
    this.#open.clear();
    const { firstEventTimeoutMs } = this.#limits;
    if (firstEventTimeoutMs !== undefined)
      this.#after('first', firstEventTimeoutMs, () => this.#late('first_event', firstEventTimeoutMs, 'no event came in'));
    this.#restartIdle();
  }

  /** The agent is gone. */
  pause(): void {
    for (const name of [...this.#timers.keys()]) this.#clear(name);
  }

  /** In this dialect a turn is the whole run: every tool call then counts as one. */
  countItems(): void {
    this.#isWholeRun = true;
  }

  /** Bytes on either stream; `tail` is how they end. */
  output(tail: string): void {
    this.#restartIdle();
    if (this.#timers.has('linger')) this.#restart('linger');
    const question = asksForPermission(tail);
    if (question !== undefined) this.#asked(asText, question);
    else if (this.#open.delete(asText)) this.#answered();
  }

  event(event: AgentEvent): void {
    if (event.type !== 'log' && event.type !== 'thread.completed') this.#clear('first');
    this.#restartIdle();
    switch (event.type) {
      case 'permission.requested':
        return this.#asked(event.permission_id, event.title ?? event.pattern ?? event.what);
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
        if (event.finish_reason === 'stop') this.#after('linger', silentMs, () => this.#options.stop({ kind: 'done' }));
        else if (event.finish_reason === 'tool_calls' && this.#turns >= (this.#limits.maxTurns ?? Infinity)) this.#turnLimit(this.#turns);
        return;
      case 'item.started':
        this.#goesOn();
        if (event.parent_item_id !== undefined) this.#subItems.add(event.item_id);
        return;
      case 'item.completed':
        this.#goesOn();
        if (!this.#subItems.delete(event.item_id)) this.#items += 1;
        if (this.#isWholeRun && this.#items >= (this.#limits.maxTurns ?? Infinity)) this.#turnLimit(this.#items);
        return;
      case 'text.delta':
      case 'reasoning.delta':
        return this.#goesOn();
      case 'usage.reported':
        return this.#bill();
      case 'agent.finished':
        return this.#after('linger', this.#options.lingerMs ?? lingerMs, () => this.#options.stop({ kind: 'done' }));
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
  #asked(id: string, what: string): void {
    this.#open.set(id, what);
    if (this.#timers.has('question')) return;
    this.#after('question', this.#limits.permissionTimeoutMs ?? defaultPermissionMs, () => {
      const [last, words] = [...this.#open].at(-1) ?? [id, what];
      this.#options.stop({ kind: 'question', what: words, ...(last === asText ? {} : { id: last }) });
    });
  }

  #answered(): void {
    if (this.#open.size === 0) this.#clear('question');
  }

  /** Whatever was asked, the agent does not wait for it. */
  #goesOn(): void {
    this.#open.clear();
    this.#clear('question');
    this.#clear('linger');
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

  #after(name: 'first' | 'idle' | 'question' | 'linger', ms: number, then: () => void): void {
    this.#clear(name);
    this.#timers.set(name, setTimeout(then, Math.min(ms, longestTimer)));
  }

  #clear(name: 'first' | 'idle' | 'question' | 'linger'): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}
