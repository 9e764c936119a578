import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../failure.ts';
import { hold, type Held, release, reserve, type Reserved, reserveMore } from '../ledger/budget.ts';
import { present } from '../json/present.ts';
import { isRoomFor } from '../stores/grants.ts';
import type { Amounts, Reservation, Taking } from '../stores/budget-store.ts';
import type { RunStore } from '../stores/run-store.ts';
import { type Cause, reached } from './stop.ts';

const retryMs = 1000;
/** How often a request that waits for what others have reserved asks again. */
const pollMs = 500;
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
  #taking: () => Taking = () => ({ spent: { usd: 0, tokens: 0 }, step: {} });
  #asking: Promise<void> | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isReleasing = false;
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
    return usd - spent.usd - reserved.usd - this.#taking().spent.usd;
  }

  /** Records what the tree has used in all. `stop` is called, perhaps a moment later, when it may use no more. */
  took(taking: () => Taking, stop: (cause: Cause) => void): void {
    this.#taking = taking;
    if (this.#isEnough() || this.#asking !== undefined || this.#isClosed) return;
    this.#asking = this.#askForMore(stop).finally(() => (this.#asking = undefined));
  }

  /**
   * Sets aside what one more request may take, beyond what the tree has used and holds; returns why it may not go out. What others
   * have reserved is waited for, for a while. `needed`: with this request, at the moment when it is asked.
   */
  hold(next: Required<Amounts>, needed: () => Required<Amounts>, signal: AbortSignal): Promise<Cause | undefined> {
    const { patienceMs: patience = patienceMs } = this.#options;
    // Requests that wait for their turn wait for others as well: together they take no longer than one.
    const start = performance.now();
    return this.#inTurn(async () => {
      for (;;) {
        const { cause, isWorthWaiting } = await this.#holdOnce(next, needed());
        if (cause === undefined || !isWorthWaiting || signal.aborted || performance.now() - start > patience)
          return cause;
        await sleep(Math.min(pollMs, patience), undefined, { signal, ref: false }).catch(() => {});
      }
    });
  }

  async #holdOnce(
    next: Required<Amounts>,
    needed: Required<Amounts>,
  ): Promise<{ cause?: Cause; isWorthWaiting?: boolean }> {
    if (this.#store === undefined || this.#has(needed)) return {};
    const spent = { usd: needed.usd - next.usd, tokens: needed.tokens - next.tokens };
    try {
      const answer = await hold(this.#store, this.name, this.#options.run, { spent, step: next });
      const cause = this.#take(answer);
      return cause === undefined ? {} : { cause, isWorthWaiting: answer.kind === 'exceeded' && answer.isHeld };
    } catch (error) {
      const message = `the budget "${this.name}" cannot be asked for more: ${messageOf(error)}`;
      return { cause: reached({ limit: 'cost', message }), isWorthWaiting: true };
    }
  }

  /** What requests did not use is there for other trees. Those that end meanwhile are told of together. */
  release(needed: () => Required<Amounts>): void {
    if (this.#isReleasing || this.#isClosed) return;
    this.#isReleasing = true;
    void this.#inTurn(async () => {
      this.#isReleasing = false;
      if (this.#store === undefined || this.#isClosed) return;
      // The ledger may not be reached just now; the end of the run releases all of it.
      const reservation = await release(this.#store, this.name, this.#options.run, needed()).catch(() => undefined);
      this.#reservation = reservation ?? this.#reservation;
    });
  }

  /** One question after the other: each is about all that the tree needs. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  #has(needed: Required<Amounts>): boolean {
    const { usd = Infinity, tokens = Infinity } = this.#reservation ?? {};
    return isRoomFor(needed.usd, usd) && needed.tokens <= tokens;
  }

  /** What the tree used is known from the outcomes of its runs in the ledger. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#asking;
    await this.#turn;
    await this.#store?.close().catch(() => {});
  }

  #isEnough(): boolean {
    const { usd = Infinity, tokens = Infinity } = this.#reservation ?? {};
    const { spent } = this.#taking();
    return spent.usd < usd && spent.tokens < tokens;
  }

  async #askForMore(stop: (cause: Cause) => void): Promise<void> {
    const { run, patienceMs: patience = patienceMs } = this.#options;
    const start = performance.now();
    while (this.#store !== undefined && !this.#isClosed && !this.#isEnough()) {
      try {
        const store = this.#store;
        const answer = await this.#inTurn(() => reserveMore(store, this.name, run, this.#taking()));
        const gone = this.#take(answer);
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

  #take(answer: Reserved | Held): Cause | undefined {
    if (answer.kind === 'exceeded') {
      const { limit, message, budget } = answer;
      return reached({ limit, message, ...present({ maximum: limit === 'cost' ? budget.usd : budget.tokens }) });
    }
    this.#reservation = answer.reservation;
    return undefined;
  }
}
