import { costAt } from '../outcome/price.ts';
import type { Price, Tokens } from '../outcome/usage.ts';
import { present } from '../present.ts';
import type { TokenPrice } from '../vocabulary.ts';
import type { RunSpec } from './spec.ts';

export function tokenPrice({ price }: RunSpec): TokenPrice | undefined {
  return price === undefined ? undefined : { input: price.input, output: price.output, ...present({ cacheRead: price.cache_read }) };
}

/** For agents that report tokens but no cost: the price that was given, else the table. */
export async function loadPrice(spec: RunSpec): Promise<Price> {
  const price = tokenPrice(spec);
  if (price === undefined) return (await import('../outcome/price-table.ts')).loadPrices();
  return Object.assign((_model: string | undefined, tokens: Tokens) => costAt(price, tokens), { isGiven: true });
}

/** Whether the table knows what this model costs. */
export async function isPriced(model: string | undefined): Promise<boolean> {
  if (model === undefined) return false;
  const price = (await import('../outcome/price-table.ts')).loadPrices();
  return (await price)(model, { input: 1, output: 1 }) !== undefined;
}
