import { loadPrice } from '../builtin/config/price.ts';
import { Failure } from '../failure.ts';
import type { Price } from '../outcome/price.ts';
import { tokenPrice } from './given-price.ts';
import type { Environment } from '../words/vocabulary.ts';
import type { RunSpec } from '../contract/spec.ts';

/** For agents that report tokens but no cost. */
export async function priceOf(spec: RunSpec, env: Environment, warn: (text: string) => void): Promise<Price> {
  const given = tokenPrice(spec);
  try {
    return await loadPrice({ given, cwd: spec.cwd, env });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The agent itself does not need our config files.
    warn(`prices in the config files are not used: ${error.message}`);
    return loadPrice({ given });
  }
}

/** Whether it is known what this model costs. */
export function isPriced(model: string | undefined, price: Price): boolean {
  return price(model, { input: 1, output: 1 }) !== undefined;
}
