import type { EventOf } from '../events/event.ts';
import { present } from '../present.ts';
import type { ModelUsage } from './outcome.ts';

export interface Tokens {
  input?: number;
  output?: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cost?: number;
}

/** The cost in USD of these tokens with this model, if its name is known; undefined when there is no price for it. */
export interface Price {
  (model: string | undefined, tokens: Tokens): number | undefined;
  /** The price was given by the user: it also applies where an agent that knows no price reports a cost of 0. */
  readonly isGiven?: boolean;
}

type Usage = EventOf<'usage.reported'>;
type ByModel = Map<string, Tokens>;

/**
 * Adds what may be added and replaces what must be replaced: steps add up, a turn's total replaces its steps,
 * and a thread's total (one per model) replaces everything before it.
 */
export class UsageTotals {
  #steps: ByModel = new Map();
  #turns: ByModel = new Map();
  #threads: ByModel = new Map();
  /** What earlier attempts used. */
  #earlier: ByModel = new Map();
  #isResumed = false;
  /** What the runs of other sessions in the same stream used. */
  #others: ByModel = new Map();
  /** Set when the session existed before the run: what it had used, if known. */
  #before: { used: Tokens | undefined } | undefined;
  #includesBefore = false;
  #isComputed = false;

  report(usage: Usage): void {
    this.#isComputed ||= usage.cost_computed === true;
    const model = usage.model ?? '';
    const tokens = read(usage);
    switch (usage.scope) {
      case 'step':
        return add(this.#steps, model, tokens);
      case 'turn':
        this.#steps = new Map();
        return add(this.#turns, model, tokens);
      case 'thread':
        if (usage.whole_session === true) return this.#wholeSession(model, tokens);
        this.#threads.set(model, tokens);
    }
  }

  #wholeSession(model: string, tokens: Tokens): void {
    if (this.#isResumed) this.#earlier.delete(model);
    const isKnown = this.#steps.size + this.#turns.size > 0;
    if (this.#before?.used !== undefined) this.#threads.set(model, this.#share(tokens, this.#before.used));
    else if (this.#before === undefined || !isKnown) {
      this.#threads.set(model, tokens);
      this.#includesBefore = this.#before !== undefined;
    }
  }

  /** The run's own share of a total; a total whose share is smaller than what was reported step by step never included the earlier runs. */
  #share(tokens: Tokens, used: Tokens): Tokens {
    const rest = less(tokens, used);
    let told = 0;
    for (const part of [this.#steps, this.#turns]) for (const { input = 0 } of part.values()) told += input;
    return (rest.input ?? 0) < told && (tokens.input ?? 0) >= told ? tokens : rest;
  }

  /** The run resumes an earlier session. */
  resume(used: Tokens): void {
    this.#before = { used: Object.keys(used).length === 0 ? undefined : used };
  }

  /** The totals include earlier runs, by an unknown amount. */
  get includesEarlierRuns(): boolean {
    return this.#includesBefore;
  }

  /** At least one reported cost was computed by its sender. */
  get isComputed(): boolean {
    return this.#isComputed;
  }

  /** The agent is started again: what it has used so far still counts. */
  nextAttempt(isResumed: boolean): void {
    this.#earlier = this.byModel();
    this.#isResumed = isResumed;
    this.#steps = new Map();
    this.#turns = new Map();
    this.#threads = new Map();
  }

  /** Another run in the same stream. */
  nextRun(isOfSameSession: boolean): void {
    if (isOfSameSession) return this.nextAttempt(true);
    this.#others = this.byModel();
    this.nextAttempt(false);
    this.#earlier = new Map();
    this.#before = undefined;
  }

  /** `unnamed`: the model for usage that was reported without one. */
  byModel(unnamed = ''): ByModel {
    const sum: ByModel = new Map();
    for (const part of [this.#others, this.#earlier, ...(this.#threads.size > 0 ? [this.#threads] : [this.#turns, this.#steps])])
      for (const [model, tokens] of part) add(sum, model || unnamed, tokens);
    return sum;
  }

  total(): Tokens {
    const sum: ByModel = new Map();
    for (const tokens of this.byModel().values()) add(sum, '', tokens);
    return sum.get('') ?? {};
  }
}

const fields = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite', 'cost'] as const;

function read(usage: Usage): Tokens {
  const tokens: Tokens = {};
  if (usage.input_tokens !== undefined) tokens.input = usage.input_tokens;
  if (usage.output_tokens !== undefined) tokens.output = usage.output_tokens;
  if (usage.reasoning_tokens !== undefined) tokens.reasoning = usage.reasoning_tokens;
  if (usage.cache_read_tokens !== undefined) tokens.cacheRead = usage.cache_read_tokens;
  if (usage.cache_write_tokens !== undefined) tokens.cacheWrite = usage.cache_write_tokens;
  if (usage.cost_usd !== undefined) tokens.cost = usage.cost_usd;
  return tokens;
}

function add(into: ByModel, model: string, more: Tokens): void {
  const sum = into.get(model) ?? {};
  for (const field of fields) {
    const value = more[field];
    if (value !== undefined) sum[field] = (sum[field] ?? 0) + value;
  }
  into.set(model, sum);
}

function less(tokens: Tokens, used: Tokens): Tokens {
  const rest = { ...tokens };
  for (const field of fields) {
    const value = rest[field];
    if (value !== undefined) rest[field] = Math.max(0, value - (used[field] ?? 0));
  }
  return rest;
}

export interface Cost {
  cost?: number;
  source: 'reported' | 'computed' | 'unknown';
}

/** The agent's own figure first, for each model; else tokens × price; else unknown, never 0. */
export function costOf(totals: UsageTotals, defaultModel: string | undefined, price: Price | undefined): Cost {
  const missing = unpriced(totals, price);
  const reported = totals.total().cost;
  if (missing.length === 0)
    return reported === undefined
      ? { source: 'unknown' }
      : { cost: dollars(reported), source: totals.isComputed ? 'computed' : 'reported' };
  let sum = reported ?? 0;
  for (const [model, tokens] of missing) {
    const usd = costOfModel(model || defaultModel, tokens, price);
    if (usd === undefined) return { source: 'unknown' };
    sum += usd;
  }
  return { cost: dollars(sum), source: 'computed' };
}

/** The same for one model alone. */
function costOfModel(name: string | undefined, tokens: Tokens, price: Price | undefined): number | undefined {
  const told = tokens.cost === undefined ? undefined : dollars(tokens.cost);
  if (told !== undefined && !(told === 0 && price?.isGiven === true)) return told;
  const usd = tokens.input === undefined || tokens.output === undefined ? undefined : price?.(name, tokens);
  return usd === undefined ? told : dollars(usd);
}

/** What each model used; undefined where there is only one. */
export function usageByModel(usage: UsageTotals, defaultModel: string | undefined, price: Price | undefined): ModelUsage[] | undefined {
  const models = [...usage.byModel(defaultModel)];
  if (models.length < 2) return undefined;
  return models.map(([model, tokens]) => {
    const name = model || undefined;
    return present({
      model_name: name,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      reasoning_tokens: tokens.reasoning,
      cache_read_tokens: tokens.cacheRead,
      cache_write_tokens: tokens.cacheWrite,
      cost: costOfModel(name, tokens, price),
    });
  });
}

/** Removes floating-point noise from a sum: 0.1 + 0.2 is 0.3 on a bill. */
function dollars(sum: number): number {
  return Number(sum.toPrecision(12));
}

/** Models whose tokens are known but whose cost is not. A cost without tokens covers all models. */
export function unpriced(totals: UsageTotals, price?: Price): [model: string, tokens: Tokens][] {
  const models = [...totals.byModel()];
  const isTold = ({ cost = 0 }: Tokens): boolean => cost > 0 || price?.isGiven !== true;
  if (models.some(([, each]) => each.cost !== undefined && isTold(each) && each.input === undefined && each.output === undefined))
    return [];
  return models.filter(([, { cost }]) => cost === undefined || !isTold({ cost }));
}
