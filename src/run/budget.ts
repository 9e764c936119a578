import { present } from '../present.ts';
import { firstGrant, nextGrant } from '../stores/grants.ts';
import type { SharedBudget } from './shared-budget.ts';
import type { Limits } from './spec.ts';
import { type Cause, reached } from './stop.ts';

/** What a run took so far. */
export interface Spent {
  tokens: number;
  cost: number | undefined;
}

/** One kind of thing that can run out, for a whole tree of runs. */
class Pool {
  readonly limit: number;
  /** For every run: what it took, and what is set aside for its next model call. */
  #reserved = 0;
  /** By all runs together. */
  #taken = 0;
  /** The dearest step that any run of the tree took: the next one may be as dear. */
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

  /** What a run that starts may have; 0: nothing is left. */
  reserve(): number {
    if (this.limit === Infinity) return Infinity;
    const amount = firstGrant(this.limit, this.free, this.#step);
    this.#reserved += amount;
    return amount;
  }

  /** A run took more; answers its reservation from now on: less than it took when it may not take more. */
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
 * What a tree of runs may take together: something is reserved before a run starts and before each of its model calls, and what was
 * not needed goes back when it ends. Who cannot reserve more is stopped, so nobody is ever more than one model call beyond it.
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

  /** Takes from a budget of the ledger as well, which others take from at the same time; something is reserved there at once. */
  async share(shared: SharedBudget): Promise<void> {
    const amount = (limit: number): number | undefined => (limit === Infinity ? undefined : limit);
    this.#shared = shared;
    this.#refusal = await shared.reserve(present({ usd: amount(this.cost.limit), tokens: amount(this.tokens.limit) }));
  }

  /** The budget of the ledger that it takes from. */
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

  /** Of what is not reserved: infinite where only tokens are limited. */
  get costLeft(): number {
    return this.#shared?.costLeft ?? Infinity;
  }

  /** A run of the tree took more. */
  took(): void {
    const taking = {
      spent: { usd: this.cost.taken, tokens: this.tokens.taken },
      step: { usd: this.cost.step, tokens: this.tokens.step },
    };
    this.#shared?.took(taking, (cause) => this.end(cause));
  }

  /** `stop` is called when all of it is gone, whoever took it. */
  open(stop: (cause: Cause) => void): Account {
    const account = new Account(this, stop);
    this.#open.add(account);
    return account;
  }

  close(account: Account): void {
    this.#open.delete(account);
  }

  /** Everybody stops, not only the one whose call it was. */
  end(cause: Cause): void {
    this.#refusal ??= cause;
    for (const account of this.#open) account.stop(cause);
    this.#open.clear();
  }

  /** The tree has ended, and the ledger knows of it. */
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

  /** Why it may not even start. */
  get refusal(): Cause | undefined {
    const { cost, tokens, refusal } = this.#budget;
    if (refusal !== undefined) return refusal;
    if (this.#cost <= 0) return gone('cost', cost.limit);
    return this.#tokens <= 0 ? gone('tokens', tokens.limit) : undefined;
  }

  /** What it could still take, if no other run took anything. */
  get costLeft(): number | undefined {
    if (!this.#budget.limitsCost) return undefined;
    const own = this.#budget.cost.limit === Infinity ? Infinity : this.#cost + this.#budget.cost.free - this.#spent.cost;
    return Math.min(own, this.#budget.costLeft);
  }

  /** What it took so far; answers why it must stop. */
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
