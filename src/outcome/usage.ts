import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { addRequests, requestOf, type Requests } from './requests.ts';
import { serviceTierOf } from './service-tier.ts';
import { UsageOverTime } from './usage-over-time.ts';
import { addTokens, type ByModel, isBillable, type Tokens, tokensIn, unpaidOf, type Used, without } from './tokens.ts';

type Usage = EventOf<'usage.reported'>;

/**
 * Adds what may be added and replaces what must be replaced: steps add up, a turn's total replaces its steps,
 * and a thread's total (one per model) replaces everything before it; what follows is added again. The model calls that a total is made of are kept
 * beside it, because each has its own price.
 */
export class UsageTotals {
  readonly overTime = new UsageOverTime();
  #steps: ByModel = new Map();
  /** Steps that a turn's total has replaced; more totals may follow, one per model. */
  #replaced: ByModel = new Map();
  #turns: ByModel = new Map();
  #threads: ByModel = new Map();
  /** Turns and steps that the totals of the thread include; those after them are not in them. */
  #included: { turns: ByModel; steps: ByModel } = { turns: new Map(), steps: new Map() };
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
    if (at !== undefined) this.overTime.see(at, () => this.total());
    this.#isComputed ||= usage.cost_computed === true;
    this.#isAtLeast ||= usage.cost_is === 'at_least';
    const model = usage.model ?? '';
    const tokens: Used = {
      ...tokensIn(usage),
      ...present({ at, isCacheUnknown: usage.cache_is === 'unknown' || undefined, serviceTier: serviceTierOf(usage) }),
    };
    switch (usage.scope) {
      case 'step':
        // It only names the model.
        if (Object.keys(tokensIn(usage)).length === 0) return;
        if (this.#replaced.size > 0) this.#replaced = new Map();
        return add(
          this.#steps,
          model,
          isBillable(tokens) ? { ...tokens, requests: requestOf(usage, tokens, at) } : tokens,
        );
      case 'turn':
        if (this.#steps.size > 0) this.#replaced = this.#steps;
        this.#steps = new Map();
        return add(this.#turns, model, withRequests(tokens, model, [this.#replaced]));
      case 'thread':
        if (usage.whole_session === true) return this.#wholeSession(model, tokens);
        this.#setThread(model, tokens);
    }
  }

  #setThread(model: string, tokens: Used, earlier: ByModel = new Map()): void {
    for (const [name, used] of this.#turns) add(this.#included.turns, name, used);
    for (const [name, used] of this.#steps) add(this.#included.steps, name, used);
    this.#turns = new Map();
    this.#steps = new Map();
    // A total without a name is that of all models, and those of the models are all of it; a cost alone may come beside them.
    if (hasTokens(tokens))
      for (const [name, used] of this.#threads)
        if ((name === '') !== (model === '') && hasTokens(used)) this.#threads.delete(name);
    this.#threads.set(model, withRequests(tokens, model, [earlier, this.#included.turns, this.#included.steps]));
  }

  #wholeSession(model: string, tokens: Used): void {
    const earlier: ByModel = new Map();
    const known = this.#isResumed ? this.#earlier.get(model) : undefined;
    if (known !== undefined) {
      earlier.set(model, known);
      this.#earlier.delete(model);
    }
    const isKnown = this.#steps.size + this.#turns.size > 0;
    if (this.#before?.used !== undefined) this.#setThread(model, this.#share(tokens, this.#before.used), earlier);
    else if (this.#before === undefined || !isKnown) {
      this.#setThread(model, tokens, earlier);
      this.#includesBefore = this.#before !== undefined;
    }
  }

  /** The run's own share of a total; a total whose share is smaller than what was reported step by step never included the earlier runs. */
  #share(tokens: Used, used: Tokens): Used {
    const { at, isCacheUnknown, serviceTier } = tokens;
    const rest: Used = { ...without(tokens, used), ...present({ at, isCacheUnknown, serviceTier }) };
    let sum = 0;
    for (const part of [this.#steps, this.#turns, this.#included.steps, this.#included.turns])
      for (const { input = 0 } of part.values()) sum += input;
    return (rest.input ?? 0) < sum && (tokens.input ?? 0) >= sum ? tokens : rest;
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
    this.#included = { turns: new Map(), steps: new Map() };
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
    for (const part of [this.#others, this.#earlier, this.#threads, this.#turns, this.#steps])
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
  const sum = into.get(model);
  if (sum === undefined) into.set(model, copyOf(more));
  else addUsed(sum, more);
}

function addUsed(sum: Used, more: Used): void {
  const unpaid = more.cost === undefined && sum.cost === undefined ? undefined : plusUnpaid(sum, more);
  addTokens(sum, more);
  sum.at = more.at ?? sum.at;
  sum.isCacheUnknown ||= more.isCacheUnknown;
  if (sum.serviceTier !== more.serviceTier) sum.serviceTier = 'mixed';
  if (more.requests !== undefined) addRequests((sum.requests ??= new Map()), more.requests);
  if (unpaid !== undefined) sum.unpaid = unpaid;
}

/** Of two that do not both lack a cost. */
function plusUnpaid(sum: Used, more: Used): Used | undefined {
  const [one, other] = [unpaidOf(sum), unpaidOf(more)];
  if (other === undefined || !isBillable(other)) return one === sum ? copyOf(sum) : one;
  if (one === undefined || !isBillable(one)) return copyOf(other);
  const both = one === sum ? copyOf(sum) : one;
  addUsed(both, other);
  return both;
}

function copyOf({ requests, unpaid, ...used }: Used): Used {
  const copy: Used = used;
  if (requests !== undefined) addRequests((copy.requests = new Map()), requests);
  if (unpaid !== undefined) copy.unpaid = copyOf(unpaid);
  return copy;
}

function hasTokens({ input, output }: Used): boolean {
  return input !== undefined || output !== undefined;
}

/** A total of a model, and the calls that were reported before it, so far as they may be a part of it. */
function withRequests(total: Used, model: string, parts: readonly ByModel[]): Used {
  const requests: Requests = new Map();
  for (const part of parts)
    for (const [name, used] of part)
      if (used.requests !== undefined && isSame(name, model, part)) addRequests(requests, used.requests);
  return requests.size === 0 ? total : { ...total, requests };
}

/** Steps and totals may name a model differently (`x` and `x[1m]`), and one of them may not name it at all. */
function isSame(step: string, total: string, steps: ByModel): boolean {
  if (step === total || step === '' || total === '') return true;
  return !steps.has(total) && (total.startsWith(step) || step.startsWith(total));
}
