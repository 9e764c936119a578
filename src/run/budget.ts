import { present } from '../json/present.ts';
import { firstGrant, nextGrant } from '../stores/grants.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { Limits } from '../contract/spec.ts';
import { type Cause, reached } from './stop.ts';

/** What a run has used so far. */
export interface Spent {
  tokens: number;
  cost: number | undefined;
}

/** One resource that can run out (dollars or tokens), for a whole tree of runs. */
class Pool {
  readonly limit: number;
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
  #shared: SharedBudget | undefined;
  #refusal: Cause | undefined;

  constructor({ max_cost_usd, max_tokens }: Pick<Limits, 'max_cost_usd' | 'max_tokens'>) {
    this.cost = new Pool(max_cost_usd);
    this.tokens = new Pool(max_tokens);
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

  /** A run of the tree used more. */
  took(): void {
    const taking = {
      spent: { usd: this.cost.taken, tokens: this.tokens.taken },
      step: { usd: this.cost.step, tokens: this.tokens.step },
    };
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

  /** Records what it has used so far; returns the reason to stop, if there is one. */
  spend({ cost = 0, tokens }: Spent): Cause | undefined {
    const { cost: costs, tokens: counts } = this.#budget;
    this.#cost = costs.extend(this.#cost, this.#spent.cost, cost);
    this.#tokens = counts.extend(this.#tokens, this.#spent.tokens, tokens);
    this.#spent = { cost, tokens };
    this.#budget.took();
    if (costs.isGone) this.#budget.end(gone('cost', costs.limit));
    if (counts.isGone) this.#budget.end(gone('tokens', counts.limit));
    if (this.#cost <= cost) return gone('cost', costs.limit);
    return this.#tokens <= tokens ? gone('tokens', counts.limit) : undefined;
  }

  close(): void {
    this.#budget.close(this);
    this.#budget.cost.settle(this.#cost, this.#spent.cost);
    this.#budget.tokens.settle(this.#tokens, this.#spent.tokens);
    this.#cost = this.#spent.cost;
    this.#tokens = this.#spent.tokens;
  }
}

function gone(limit: 'cost' | 'tokens', maximum: number): Cause {
  const amount = limit === 'cost' ? `$${maximum}` : `${maximum} tokens`;
  return reached({ limit, maximum, message: `the budget of ${amount} for this run and those below it was reached` });
}
