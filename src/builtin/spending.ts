import { Failure } from '../failure.ts';
import { costAt, type Price } from '../outcome/price.ts';
import type { TokenPrice } from '../words/vocabulary.ts';
import type { AgentOptions } from './agent.ts';
import type { CallUsage } from './models/call-usage.ts';

/** What this run has spent so far; an unknown price is an error only where there is a cost limit. */
export class Spending {
  readonly #limit: number | undefined;
  readonly #own: TokenPrice | undefined;
  readonly #table: Price | undefined;
  #usd = 0;
  #isCounted = true;

  private constructor(limit: number | undefined, own: TokenPrice | undefined, table: Price | undefined) {
    this.#limit = limit;
    this.#own = own;
    this.#table = table;
  }

  static async open(
    { maxCostUsd, price }: Pick<AgentOptions, 'maxCostUsd' | 'price'>,
    model: string,
  ): Promise<Spending> {
    if (maxCostUsd === undefined || price !== undefined) return new Spending(maxCostUsd, price, undefined);
    const { loadPrices } = await import('../outcome/price-table.ts');
    const table = await loadPrices();
    if (table(model, { input: 1, output: 1 }) === undefined)
      throw new Failure(
        'config',
        `the price of ${model} is not known, so a cost limit cannot be enforced: give --price input=USD,output=USD`,
      );
    return new Spending(maxCostUsd, undefined, table);
  }

  /** The cost to report for a call: none when it is only known from the price table, which every reader has. */
  costOf(used: CallUsage | undefined): number | undefined {
    return this.#own === undefined || used === undefined ? undefined : costAt(this.#own, used);
  }

  add(model: string, used: CallUsage | undefined): void {
    if (used === undefined) this.#isCounted = false;
    else this.#usd += this.costOf(used) ?? this.#table?.(model, used, { serviceTier: used.serviceTier }) ?? 0;
  }

  /** Whether a limit can be enforced: the cost of a provider that reports no usage is unknown. */
  get isKnown(): boolean {
    return this.#limit === undefined || this.#isCounted;
  }

  /** Set when nothing more may be spent. */
  get overrun(): { value: number; maximum: number } | undefined {
    if (this.#limit === undefined || this.#usd < this.#limit) return undefined;
    return { value: Number(this.#usd.toPrecision(12)), maximum: this.#limit };
  }
}
