import type { TokenPrice } from '../vocabulary.ts';
import type { Tokens } from './usage.ts';

/** USD for these tokens. Cache reads are a part of the input, so no more of them are counted than there is input. */
export function costAt(price: TokenPrice, { input = 0, output = 0, cacheRead = 0 }: Tokens): number {
  const read = Math.min(cacheRead, input);
  const usd = ((input - read) * price.input + read * (price.cacheRead ?? price.input) + output * price.output) / 1_000_000;
  return Number(usd.toPrecision(12));
}
