import type { TokenPrice } from '../words/vocabulary.ts';
import type { Tokens } from './tokens.ts';

/** What decides the price of a model call besides its model. */
export interface Call {
  /** Its input, where the tokens to be priced are only a part of it, or those of several calls; default: the input of the tokens. */
  input?: number | undefined;
  /** When it was made (ms since the epoch); default: now. */
  at?: number | undefined;
  /** `batch`, `priority` and the like; default: the standard one. */
  serviceTier?: string | undefined;
  /** How many calls these tokens are from; default: 1. */
  calls?: number | undefined;
}

/** Where a price is from: a table of list prices and its date, `given` for the run, or the `config`. */
export interface PriceSource {
  name: string;
  version?: string | undefined;
  as_of?: string | undefined;
}

/** The cost in USD of these tokens with this model, if its name is known; undefined when there is no price for it. */
export interface Price {
  (model: string | undefined, tokens: Tokens, call?: Call): number | undefined;
  /** The price was given by the user: it also applies where an agent that knows no price reports a cost of 0. */
  readonly isGiven?: boolean;
  /** The same number for two moments: a model has the same price at both. Default: any moment may have another price. */
  periodOf?(model: string, at: number): number;
  sourceOf?(model: string | undefined): PriceSource | undefined;
}

/** USD for these tokens. The cache is a part of the input, and reasoning of the output: no more of them is counted than of the whole. */
export function costAt(price: TokenPrice, tokens: Tokens, { calls = 1 }: Call = {}): number {
  const { input = 0, output = 0 } = tokens;
  const read = Math.min(tokens.cacheRead ?? 0, input);
  const written = Math.min(tokens.cacheWrite ?? 0, input - read);
  const forAnHour = Math.min(tokens.cacheWriteHour ?? 0, written);
  const thought = Math.min(tokens.reasoning ?? 0, output);
  const write = price.cacheWrite ?? price.input;
  const perMillion =
    (input - read - written) * price.input +
    read * (price.cacheRead ?? price.input) +
    (written - forAnHour) * write +
    forAnHour * (price.cacheWriteHour ?? write) +
    (output - thought) * price.output +
    thought * (price.reasoning ?? price.output);
  const perThousand = (tokens.webSearches ?? 0) * (price.webSearch ?? 0) + calls * (price.call ?? 0);
  return dollars(perMillion / 1_000_000 + perThousand / 1000);
}

/** Removes floating-point noise from a sum: 0.1 + 0.2 is 0.3 on a bill. */
export function dollars(sum: number): number {
  return Number(sum.toPrecision(12));
}
