import { type Cost, costOf, unpriced, usageByModel } from './cost.ts';
import type { RunOutcome } from './outcome.ts';
import type { Price, PriceSource } from './price.ts';
import type { Tokens } from './tokens.ts';
import { UsageTotals } from './usage.ts';
import { pricedBy } from './usage-over-time.ts';
import { WireFigures } from './wire.ts';

/** What one source says that a run used. */
export interface Figures {
  tokens: Tokens;
  cost: Cost;
}

/** What a run used: as its agent tells it, and as it was seen on the way to its models, which counts where it is known. */
export class RunFigures {
  readonly agent = new UsageTotals();
  readonly wire = new WireFigures();

  /** The name that the agent gives its model, or else its requests. */
  model(own: string | undefined): string | undefined {
    return own ?? this.wire.model;
  }

  get #counted(): UsageTotals {
    return this.wire.counts ? this.wire.usage : this.agent;
  }

  /** Tokens are known but their cost is not: a price table would help. */
  needsPrice(model: string | undefined): boolean {
    const missing = unpriced(this.#counted);
    const isPriced = missing.some(([name]) => name !== '' || this.model(model) !== undefined);
    return isPriced && missing.every(([, { input, output }]) => input !== undefined && output !== undefined);
  }

  total(model: string | undefined, price: Price | undefined): Figures {
    const figures = this.#of(this.#counted, model, price);
    const isSeen = this.wire.counts && figures.cost.cost !== undefined;
    return isSeen ? { ...figures, cost: { ...figures.cost, source: 'wire' } } : figures;
  }

  /** Where the prices are from with which the cost is computed; of several, the table that has a date. */
  prices(model: string | undefined, price: Price | undefined): PriceSource | undefined {
    if (price === undefined || this.#of(this.#counted, model, price).cost.source !== 'computed') return undefined;
    const sources = unpriced(this.#counted, price).map(([name]) => price.sourceOf?.(name || this.model(model)));
    return sources.find((each) => each?.as_of !== undefined) ?? sources[0];
  }

  byModel(model: string | undefined, price: Price | undefined): RunOutcome['usage_by_model'] {
    return usageByModel(this.#counted, this.model(model), price);
  }

  /** When it was used; undefined: all of it when the run began, as far as is known. */
  overTime(
    startedAt: number | undefined,
    model: string | undefined,
    price: Price | undefined,
  ): RunOutcome['usage_over_time'] {
    const { tokens, cost } = this.total(model, price);
    return this.#counted.overTime.of(tokens, startedAt, cost.cost, pricedBy(price, this.model(model)));
  }

  report(model: string | undefined, price: Price | undefined): RunOutcome['wire'] {
    return this.wire.report(this.#of(this.agent, model, price));
  }

  /** What the agent says that it used, where that is not what was seen. */
  contradictions(model?: string, price?: Price): string[] {
    return this.wire.contradictions(this.#of(this.wire.usage, model, price), this.#of(this.agent, model, price));
  }

  #of(usage: UsageTotals, model: string | undefined, price: Price | undefined): Figures {
    return { tokens: usage.total(), cost: costOf(usage, this.model(model), price) };
  }
}
