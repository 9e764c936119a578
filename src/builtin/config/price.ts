import { present } from '../../json/present.ts';
import { costAt, type Price, type PriceSource } from '../../outcome/price.ts';
import type { TokenPrice } from '../../words/vocabulary.ts';
import { loadConfigPrices, type Where } from './config.ts';

/** What tokens cost: at the price that was given for the run, else in the config files, else in the table. */
export async function loadPrice({
  given,
  ...where
}: Partial<Where> & { given?: TokenPrice | undefined }): Promise<Price> {
  if (given !== undefined)
    return Object.assign((_model: string | undefined, ...used: PriceOf) => costAt(given, ...used), {
      isGiven: true,
      sourceOf: () => ({ name: 'given' }),
    });
  const { cwd, env } = where;
  const prices = cwd === undefined || env === undefined ? {} : await loadConfigPrices({ cwd, env });
  const table = await (await import('../../outcome/price-table.ts')).loadPrices();
  const price: Price = (model, ...used) => {
    const own = priceIn(prices, model);
    return own === undefined ? table(model, ...used) : costAt(own, ...used);
  };
  const sourceOf = (model: string | undefined): PriceSource | undefined =>
    priceIn(prices, model) === undefined ? table.sourceOf?.(model) : { name: 'config' };
  return Object.assign(price, present({ periodOf: table.periodOf, sourceOf }));
}

/** The same, loaded when it is first asked for, and only once. */
export function priceLoader(where: Partial<Where> = {}): () => Promise<Price> {
  let loaded: Promise<Price> | undefined;
  return () => (loaded ??= loadPrice(where));
}

type PriceOf = Parameters<Price> extends [unknown, ...infer Rest] ? Rest : never;

/** A config names models as the built-in agent does, `provider/name`; other agents leave out the provider. */
export function priceIn(
  prices: Readonly<Record<string, TokenPrice>>,
  model: string | undefined,
): TokenPrice | undefined {
  if (model === undefined) return undefined;
  const bare = nameOf(model);
  const own = prices[model] ?? prices[bare];
  if (own !== undefined || bare !== model) return own;
  return Object.entries(prices).find(([name]) => nameOf(name) === model)?.[1];
}

function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}
