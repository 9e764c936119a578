import { present } from '../json/present.ts';
import { firstGrant, nextGrant } from '../stores/grants.ts';
import type { Amounts, Taking } from '../stores/budget-store.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { Limits } from '../contract/spec.ts';
import { type Cause, reached } from './stop.ts';

/** What a run has used so far. */
export interface Spent {
  tokens: number;
  cost: number | undefined;
}

/** What is set aside for a request to a model. */
export interface Hold {
  cost: number;
  tokens: number;
}

/** One resource that can run out (dollars or tokens), for a whole tree of runs. */
class Pool {
  limit: number;
  /** Summed over all runs: what each has used, and what is set aside for its next model call. */
  #reserved = 0;
  /** Used by all runs together. */
  #taken = 0;
  /** The most expensive step of any run in the tree: the next one may cost as much. */
  #step = 0;

  constructor(limit: number | undefined) {
    this.limit = limit ?? Infinity;
  }

  get free(): number {
    return this.limit - this.#reserved;
  }

  get taken(): number {
    return this.#taken;
  }

  get step(): number {
    return this.#step;
  }

  get isGone(): boolean {
    return this.#taken >= this.limit;
  }

  /** What a starting run may use; 0: nothing is left. */
  reserve(): number {
    if (this.limit === Infinity) return Infinity;
    const amount = firstGrant(this.limit, this.free, this.#step);
    this.#reserved += amount;
    return amount;
  }

  /** A run used more; returns its new reservation, which exceeds what it used only if it may use more. */
  extend(reserved: number, before: number, spent: number): number {
    this.#taken += spent - before;
    this.#step = Math.max(this.#step, spent - before);
    if (this.limit === Infinity) return Infinity;
    if (spent < reserved) return reserved;
    const granted = nextGrant(spent, this.#step, this.free + reserved);
    this.#reserved += granted - reserved;
    return granted;
  }

  /** Whether a run with this reservation may have so much. */
  fits(reserved: number, needed: number): boolean {
    // Sums of dollars have noise in their last digits.
    return needed - reserved <= this.free + this.limit * 1e-12;
  }

  /** Sets aside what a run needs for requests that are about to go out; returns its new reservation. */
  grow(reserved: number, needed: number): number {
    if (needed <= reserved) return reserved;
    if (this.limit !== Infinity) this.#reserved += needed - reserved;
    return needed;
  }

  /** As `extend`, for a run whose requests are held one by one. */
  took(before: number, spent: number): void {
    this.#taken += spent - before;
    this.#step = Math.max(this.#step, spent - before);
  }

  settle(reserved: number, spent: number): void {
    if (this.limit !== Infinity) this.#reserved += spent - reserved;
  }
}

/**
 * What a tree of runs may use together: an amount is reserved before a run starts and before each of its model calls, and what was
 * not needed is returned when it ends. A run that cannot reserve more is stopped, so no run exceeds the budget by more than one model call.
 */
export class Budget {
  readonly cost: Pool;
  readonly tokens: Pool;
  readonly #open = new Set<Account>();
  /** What all runs used and hold for requests that are on their way. */
  readonly #needed: Hold = { cost: 0, tokens: 0 };
  #onTheirWay = 0;
  #settled = Promise.withResolvers<boolean>();
  #shared: SharedBudget | undefined;
  #refusal: Cause | undefined;

  constructor({ max_cost_usd, max_tokens }: Pick<Limits, 'max_cost_usd' | 'max_tokens'>) {
    this.cost = new Pool(max_cost_usd);
    this.tokens = new Pool(max_tokens);
  }

  /** A person gave the whole tree more, or less. */
  change({ max_cost_usd: cost, max_tokens: tokens }: Pick<Limits, 'max_cost_usd' | 'max_tokens'>): void {
    // Where there was no limit nothing is reserved, and the watch of the run keeps the new one.
    if (cost !== undefined && this.cost.limit !== Infinity) this.cost.limit = cost;
    if (tokens !== undefined && this.tokens.limit !== Infinity) this.tokens.limit = tokens;
  }

  /** Also draws on a budget in the ledger, which others may draw on at the same time; an amount is reserved there at once. */
  async share(shared: SharedBudget): Promise<void> {
    const amount = (limit: number): number | undefined => (limit === Infinity ? undefined : limit);
    this.#shared = shared;
    this.#refusal = await shared.reserve(present({ usd: amount(this.cost.limit), tokens: amount(this.tokens.limit) }));
  }

  /** The budget in the ledger that it draws on. */
  get name(): string | undefined {
    return this.#shared?.name;
  }

  /** Why no run may start. */
  get refusal(): Cause | undefined {
    return this.#refusal;
  }

  get isLimited(): boolean {
    return this.limitsCost || this.tokens.limit !== Infinity || this.#shared !== undefined;
  }

  get limitsCost(): boolean {
    return this.cost.limit !== Infinity || this.#shared?.limitsCost === true;
  }

  /** Dollars that are not reserved yet; infinite where only tokens are limited. */
  get costLeft(): number {
    return this.#shared?.costLeft ?? Infinity;
  }

  /** Resolves when a request of any run has ended, with true, or when none is on its way any more: it leaves nothing to ask for again. */
  get settled(): Promise<boolean> {
    return this.#settled.promise;
  }

  /** Whether requests are on their way that may leave room for others. */
  get isWaitedFor(): boolean {
    return this.#onTheirWay > 0;
  }

  /** What a run used or holds has changed. */
  needs(before: Hold, now: Hold): void {
    this.#needed.cost += now.cost - before.cost;
    this.#needed.tokens += now.tokens - before.tokens;
  }

  /** Sets aside in the ledger what the tree needs, of which `next` is for one request; returns why it may not go out. */
  async send(next: Hold, signal: AbortSignal): Promise<Cause | undefined> {
    this.#onTheirWay += 1;
    return this.#shared?.hold({ usd: next.cost, tokens: next.tokens }, () => this.#amounts(), signal);
  }

  /** A request that was on its way has ended: what it leaves is there for others, in the ledger as well. */
  received(): void {
    this.#onTheirWay -= 1;
    this.#wake(true);
    this.#shared?.release(() => this.#amounts());
  }

  /** A request that the ledger has no room for does not go out. It leaves nothing, so that others need not ask again. */
  unsent(): void {
    this.#onTheirWay -= 1;
    if (this.#onTheirWay === 0) this.#wake(false);
  }

  #wake(leavesRoom: boolean): void {
    this.#settled.resolve(leavesRoom);
    this.#settled = Promise.withResolvers();
  }

  #amounts(): Required<Amounts> {
    return {
      usd: Math.max(this.cost.taken, this.#needed.cost),
      tokens: Math.max(this.tokens.taken, this.#needed.tokens),
    };
  }

  /** A run of the tree used more. */
  took(): void {
    const taking = (): Taking => ({
      spent: this.#amounts(),
      step: { usd: this.cost.step, tokens: this.tokens.step },
    });
    this.#shared?.took(taking, (cause) => this.end(cause));
  }

  /** `stop` is called when the whole budget is used up, whichever run used it. */
  open(stop: (cause: Cause) => void): Account {
    const account = new Account(this, stop);
    this.#open.add(account);
    return account;
  }

  close(account: Account): void {
    this.#open.delete(account);
  }

  /** Stops all runs, not only the one that made the last call. */
  end(cause: Cause): void {
    this.#refusal ??= cause;
    for (const account of this.#open) account.stop(cause);
    this.#open.clear();
  }

  /** The tree has ended, and the ledger knows it. */
  async settle(): Promise<void> {
    await this.#shared?.close();
  }
}

/** The share of one run. */
export class Account {
  readonly stop: (cause: Cause) => void;
  readonly #budget: Budget;
  #cost: number;
  #tokens: number;
  #spent: { cost: number; tokens: number } = { cost: 0, tokens: 0 };
  /** What its requests used, as far as they were held one by one. */
  readonly #used: Hold = { cost: 0, tokens: 0 };
  readonly #held: Hold = { cost: 0, tokens: 0 };
  #isHeld = false;

  constructor(budget: Budget, stop: (cause: Cause) => void) {
    this.#budget = budget;
    this.stop = stop;
    this.#cost = budget.cost.reserve();
    this.#tokens = budget.tokens.reserve();
  }

  /** Why the run may not even start. */
  get refusal(): Cause | undefined {
    const { cost, tokens, refusal } = this.#budget;
    if (refusal !== undefined) return refusal;
    if (this.#cost <= 0) return gone('cost', cost.limit);
    return this.#tokens <= 0 ? gone('tokens', tokens.limit) : undefined;
  }

  /** What it could still use if no other run used anything. */
  get costLeft(): number | undefined {
    if (!this.#budget.limitsCost) return undefined;
    const own =
      this.#budget.cost.limit === Infinity ? Infinity : this.#cost + this.#budget.cost.free - this.#spent.cost;
    return Math.min(own, this.#budget.costLeft);
  }

  get isLimited(): boolean {
    return this.#budget.isLimited;
  }

  get limit(): Hold {
    return { cost: this.#budget.cost.limit, tokens: this.#budget.tokens.limit };
  }

  get settled(): Promise<boolean> {
    return this.#budget.settled;
  }

  get isWaitedFor(): boolean {
    return this.#budget.isWaitedFor;
  }

  /** Sets aside what a request may use at most; returns why it must not go out. `signal`: nobody waits for it any more. */
  async hold(next: Hold, signal: AbortSignal): Promise<Cause | undefined> {
    const { cost: costs, tokens: counts } = this.#budget;
    this.#isHeld = true;
    const cost = this.#needed.cost + next.cost;
    const tokens = this.#needed.tokens + next.tokens;
    if (!costs.fits(this.#cost, cost)) return gone('cost', costs.limit);
    if (!counts.fits(this.#tokens, tokens)) return gone('tokens', counts.limit);
    this.#cost = costs.grow(this.#cost, cost);
    this.#tokens = counts.grow(this.#tokens, tokens);
    this.#change(() => add(this.#held, next, 1));
    const cause = await this.#budget.send(next, signal);
    if (cause === undefined) return undefined;
    this.#shrink(() => add(this.#held, next, -1));
    this.#budget.unsent();
    return cause;
  }

  /** A request has ended: what it used replaces what was set aside for it, and the rest is there for others. */
  replace(held: Hold, real: Hold): void {
    this.#shrink(() => {
      add(this.#held, held, -1);
      add(this.#used, real, 1);
    });
    this.#budget.received();
  }

  /** After the change it has what it needs, and no more. */
  #shrink(change: () => void): void {
    this.#change(change);
    const { cost, tokens } = this.#needed;
    this.#budget.cost.settle(this.#cost, cost);
    this.#budget.tokens.settle(this.#tokens, tokens);
    this.#cost = cost;
    this.#tokens = tokens;
  }

  #change(change: () => void): void {
    const before = this.#needed;
    change();
    this.#budget.needs(before, this.#needed);
  }

  get #needed(): Hold {
    return {
      cost: Math.max(this.#spent.cost, this.#used.cost) + this.#held.cost,
      tokens: Math.max(this.#spent.tokens, this.#used.tokens) + this.#held.tokens,
    };
  }

  /** Records what it has used so far; returns the reason to stop, if there is one. */
  spend({ cost = 0, tokens }: Spent): Cause | undefined {
    const { cost: costs, tokens: counts } = this.#budget;
    if (this.#isHeld) return this.#spendHeld({ cost, tokens });
    this.#cost = costs.extend(this.#cost, this.#spent.cost, cost);
    this.#tokens = counts.extend(this.#tokens, this.#spent.tokens, tokens);
    this.#spent = { cost, tokens };
    this.#budget.took();
    if (costs.isGone) this.#budget.end(gone('cost', costs.limit));
    if (counts.isGone) this.#budget.end(gone('tokens', counts.limit));
    if (this.#cost <= cost) return gone('cost', costs.limit);
    return this.#tokens <= tokens ? gone('tokens', counts.limit) : undefined;
  }

  /** Before each of its requests it is asked whether there is room: only a budget that is used up stops it here. */
  #spendHeld(spent: Hold): Cause | undefined {
    const { cost: costs, tokens: counts } = this.#budget;
    costs.took(this.#spent.cost, spent.cost);
    counts.took(this.#spent.tokens, spent.tokens);
    this.#change(() => (this.#spent = spent));
    // An agent may say that it used more than passed: that is used, whether or not there was room for it.
    this.#cost = costs.grow(this.#cost, this.#needed.cost);
    this.#tokens = counts.grow(this.#tokens, this.#needed.tokens);
    if (costs.isGone) this.#budget.end(gone('cost', costs.limit));
    if (counts.isGone) this.#budget.end(gone('tokens', counts.limit));
    return undefined;
  }

  /** What was cut off stays counted: it may have used all that was set aside for it. */
  close(): void {
    this.#budget.close(this);
    this.#shrink(() => {});
  }
}

function add(into: Hold, { cost, tokens }: Hold, sign: 1 | -1): void {
  into.cost += sign * cost;
  into.tokens += sign * tokens;
}

function gone(limit: 'cost' | 'tokens', maximum: number): Cause {
  const amount = limit === 'cost' ? `$${maximum}` : `${maximum} tokens`;
  return reached({ limit, maximum, message: `the budget of ${amount} for this run and those below it was reached` });
}
