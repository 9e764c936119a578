import type { EventOf } from '../events/event.ts';
import { present } from '../present.ts';
import { addRequests, requestOf, type Requests } from './requests.ts';
import { addTokens, type ByModel, isBillable, type Tokens, tokensIn, type Used, without } from './tokens.ts';

type Usage = EventOf<'usage.reported'>;

/**
 * Adds what may be added and replaces what must be replaced: steps add up, a turn's total replaces its steps,
 * and a thread's total (one per model) replaces everything before it. The model calls that a total is made of are kept
 * beside it, because each has its own price.
 */
export class UsageTotals {
  #steps: ByModel = new Map();
  /** Steps that a turn's total has replaced; more totals may follow, one per model. */
  #replaced: ByModel = new Map();
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
  #isAtLeast = false;

  /** `at`: when it was reported (ms since the epoch), if known. */
  report(usage: Usage, when?: number): void {
    const at = Number.isFinite(when) ? when : undefined;
    this.#isComputed ||= usage.cost_computed === true;
    this.#isAtLeast ||= usage.cost_is === 'at_least';
    const model = usage.model ?? '';
    const tokens: Used = { ...tokensIn(usage), ...present({ at, isCacheUnknown: usage.cache_is === 'unknown' || undefined }) };
    switch (usage.scope) {
      case 'step':
        // It only names the model.
        if (Object.keys(tokensIn(usage)).length === 0) return;
        if (this.#replaced.size > 0) this.#replaced = new Map();
        return add(this.#steps, model, isBillable(tokens) ? { ...tokens, requests: requestOf(usage, tokens, at) } : tokens);
      case 'turn':
        if (this.#steps.size > 0) this.#replaced = this.#steps;
        this.#steps = new Map();
        return add(this.#turns, model, withRequests(tokens, model, [this.#replaced]));
      case 'thread':
        if (usage.whole_session === true) return this.#wholeSession(model, tokens);
        this.#threads.set(model, withRequests(tokens, model, [this.#turns, this.#steps]));
    }
  }

  #wholeSession(model: string, tokens: Used): void {
    const earlier: ByModel = new Map();
    const known = this.#isResumed ? this.#earlier.get(model) : undefined;
    if (known !== undefined) {
      earlier.set(model, known);
      this.#earlier.delete(model);
    }
    const parts = [earlier, this.#turns, this.#steps];
    const isKnown = this.#steps.size + this.#turns.size > 0;
    if (this.#before?.used !== undefined) this.#threads.set(model, withRequests(this.#share(tokens, this.#before.used), model, parts));
    else if (this.#before === undefined || !isKnown) {
      this.#threads.set(model, withRequests(tokens, model, parts));
      this.#includesBefore = this.#before !== undefined;
    }
  }

  /** The run's own share of a total; a total whose share is smaller than what was reported step by step never included the earlier runs. */
  #share(tokens: Used, used: Tokens): Used {
    const rest: Used = { ...without(tokens, used), at: tokens.at, isCacheUnknown: tokens.isCacheUnknown };
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

  /** At least one reported cost is, as its sender says, a lower bound. */
  get isAtLeast(): boolean {
    return this.#isAtLeast;
  }

  /** The agent is started again: what it has used so far still counts. */
  nextAttempt(isResumed: boolean): void {
    this.#earlier = this.byModel();
    this.#isResumed = isResumed;
    this.#steps = new Map();
    this.#replaced = new Map();
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
      for (const [model, used] of part) add(sum, model || unnamed, used);
    return sum;
  }

  total(): Tokens {
    const sum: Tokens = {};
    for (const used of this.byModel().values()) addTokens(sum, used);
    return sum;
  }
}

function add(into: ByModel, model: string, more: Used): void {
  let sum = into.get(model);
  if (sum === undefined) into.set(model, (sum = {}));
  addTokens(sum, more);
  sum.at = more.at ?? sum.at;
  sum.isCacheUnknown ||= more.isCacheUnknown;
  if (more.requests !== undefined) addRequests((sum.requests ??= new Map()), more.requests);
}

/** A total of a model, and the calls that were reported before it, so far as they may be a part of it. */
function withRequests(total: Used, model: string, parts: readonly ByModel[]): Used {
  const requests: Requests = new Map();
  for (const part of parts)
    for (const [name, used] of part) if (used.requests !== undefined && isSame(name, model, part)) addRequests(requests, used.requests);
  return requests.size === 0 ? total : { ...total, requests };
}

/** Steps and totals may name a model differently (`x` and `x[1m]`), and one of them may not name it at all. */
function isSame(step: string, total: string, steps: ByModel): boolean {
  if (step === total || step === '' || total === '') return true;
  return !steps.has(total) && (total.startsWith(step) || step.startsWith(total));
}
