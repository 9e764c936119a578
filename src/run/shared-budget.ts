import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../failure.ts';
import { reserve, type Reserved, reserveMore } from '../ledger/budget.ts';
import { present } from '../json/present.ts';
import type { Amounts, Reservation, Taking } from '../stores/budget-store.ts';
import type { RunStore } from '../stores/run-store.ts';
import { type Cause, reached } from './stop.ts';

const retryMs = 1000;
/** A run that has used its reservation and cannot reach the ledger to ask for more is stopped after this long. */
const patienceMs = 30_000;

export interface SharedBudgetOptions {
  name: string;
  /** The top of the tree that draws on it. */
  run: string;
  open: () => Promise<RunStore>;
  /** Tests lower it. */
  patienceMs?: number;
}

/** One run tree's share of a budget in the ledger: it grows step by step, as long as there is room. */
export class SharedBudget {
  readonly name: string;
  readonly #options: SharedBudgetOptions;
  #store: RunStore | undefined;
  #reservation: Reservation | undefined;
  #taking: Taking = { spent: { usd: 0, tokens: 0 }, step: {} };
  #asking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SharedBudgetOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Called before anything starts; returns why it may not. Throws `Failure` where the budget is unknown or the ledger unreachable. */
  async reserve(amount: Amounts): Promise<Cause | undefined> {
    this.#store = await this.#options.open();
    return this.#take(await reserve(this.#store, this.name, this.#options.run, amount));
  }

  get limitsCost(): boolean {
    return this.#reservation?.usd !== undefined;
  }

  /** What could still be used if no other run used anything. */
  get costLeft(): number | undefined {
    const { usd, spent, reserved } = this.#reservation?.budget ?? {};
    if (usd === undefined || spent === undefined || reserved === undefined) return undefined;
    return usd - spent.usd - reserved.usd - this.#taking.spent.usd;
  }

  /** Records what the tree has used in all. `stop` is called, perhaps a moment later, when it may use no more. */
  took(taking: Taking, stop: (cause: Cause) => void): void {
    this.#taking = taking;
    if (this.#isEnough() || this.#asking !== undefined || this.#isClosed) return;
    this.#asking = this.#askForMore(stop).finally(() => (this.#asking = undefined));
  }

  /** What the tree used is known from the outcomes of its runs in the ledger. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#asking;
    await this.#store?.close().catch(() => {});
  }

  #isEnough(): boolean {
    const { usd = Infinity, tokens = Infinity } = this.#reservation ?? {};
    return this.#taking.spent.usd < usd && this.#taking.spent.tokens < tokens;
  }

  async #askForMore(stop: (cause: Cause) => void): Promise<void> {
    const { run, patienceMs: patience = patienceMs } = this.#options;
    const start = performance.now();
    while (this.#store !== undefined && !this.#isClosed && !this.#isEnough()) {
      try {
        const gone = this.#take(await reserveMore(this.#store, this.name, run, this.#taking));
        if (gone !== undefined) return stop(gone);
      } catch (error) {
        if (performance.now() - start > patience)
          return stop(
            reached({
              limit: 'cost',
              message: `the budget "${this.name}" cannot be asked for more: ${messageOf(error)}`,
            }),
          );
        await sleep(retryMs, undefined, { ref: false });
      }
    }
  }

  #take(answer: Reserved): Cause | undefined {
    if (answer.kind === 'exceeded') {
      const { limit, message, budget } = answer;
      return reached({ limit, message, ...present({ maximum: limit === 'cost' ? budget.usd : budget.tokens }) });
    }
    this.#reservation = answer.reservation;
    return undefined;
  }
}
