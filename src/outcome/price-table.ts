import type { calcPrice, ModelPrice } from '@pydantic/genai-prices';
import { present } from '../json/present.ts';
import type { TokenPrice } from '../words/vocabulary.ts';
import { costAt, type Price } from './price.ts';
import { priceTable } from './price-source.ts';
import { periodMs } from './requests.ts';
import { shareOf } from './service-tier.ts';

/** Models, and prices of a model, that are remembered: finding one means comparing the name with hundreds of patterns. */
const mostEntries = 10_000;

/** The prices of a model, by the number of the period in which they hold. */
interface Entry {
  periodOf(at: number): number;
  prices: Map<number, ModelPrice | undefined>;
}

/** The offline price table; loaded only when a run has tokens but no reported cost. */
export async function loadPrices(): Promise<Price> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const known = new Map<string, Entry>();

  function find(model: string, at: number): ReturnType<typeof calcPrice> {
    for (const [providerId, name] of spellings(model)) {
      const found = calcPrice({}, name, present({ providerId, timestamp: new Date(at) }));
      if (found !== null) return found;
    }
    return null;
  }

  function entryOf(model: string): Entry {
    let entry = known.get(model);
    if (entry !== undefined) return entry;
    entry = { periodOf: periodsOf(find(model, Date.now())?.model.prices), prices: new Map() };
    if (known.size >= mostEntries) known.clear();
    known.set(model, entry);
    return entry;
  }

  function pricesOf(model: string, at = Date.now()): ModelPrice | undefined {
    const { periodOf, prices } = entryOf(model);
    const period = periodOf(at);
    if (!prices.has(period)) {
      if (prices.size >= mostEntries) prices.clear();
      prices.set(period, find(model, at)?.model_price);
    }
    return prices.get(period);
  }

  const price: Price = (model, tokens, { input = tokens.input ?? 0, at, serviceTier, calls } = {}) => {
    if (model === undefined) return undefined;
    if (isFree(model)) return 0;
    const prices = pricesOf(model, at);
    return prices === undefined ? undefined : costAt(priceOf(prices, input, shareOf(serviceTier)), tokens, { calls });
  };
  return Object.assign(price, {
    periodOf: (model: string, at: number) => entryOf(model).periodOf(at),
    sourceOf: () => priceTable,
  });
}

type Prices = NonNullable<ReturnType<typeof calcPrice>>['model']['prices'];

/** Prices change on some days (UTC), and a few of them within each day. */
function periodsOf(prices: Prices | undefined): (at: number) => number {
  const constraints = Array.isArray(prices) ? prices.map(({ constraint }) => constraint) : [];
  if (constraints.some((each) => each?.type === 'time_of_date')) return (at) => Math.floor(at / periodMs);
  const starts = constraints.flatMap((each) => (each?.type === 'start_date' ? [Date.parse(each.start_date)] : []));
  return (at) => starts.filter((start) => start <= at).length;
}

/** Routers name the models that they give away like the ones that they sell: `x:free`, `x-free`. */
function isFree(model: string): boolean {
  return /[:-]free$/i.test(model);
}

/** Bedrock names a model after its maker, and the places where it runs: `us.anthropic.claude-x-v1:0`. */
const ofBedrock = /^(?:[a-z-]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai|qwen)\.[a-z]/;

/** `anthropic/claude-x` names its provider; a bare name is looked up as it is. */
function spellings(model: string): [provider: string | undefined, name: string][] {
  const slash = model.indexOf('/');
  const bare = model.slice(model.lastIndexOf('/') + 1);
  const hosted: [string, string][] = ofBedrock.test(bare) ? [['aws', bare]] : [];
  if (slash === -1) return [[undefined, model], ...hosted];
  return [
    [model.slice(0, slash), model.slice(slash + 1)],
    ...hosted,
    [undefined, model.slice(slash + 1)],
    [undefined, model],
  ];
}

/** Anthropic's writes to a cache, in parts of the price of input. Whoever else sells its models sells them so, but the table has not every price of an hour. */
const fiveMinutes = 1.25;
const anHour = 2;

/** What each token of a call with this much input costs. Fees are the same in every tier. */
function priceOf(prices: ModelPrice, input: number, share: number): TokenPrice {
  const of = (name: string): number | undefined => {
    const price = prices[name];
    if (price === undefined || typeof price === 'number') return price;
    return price.tiers.findLast(({ start }) => input > start)?.price ?? price.base;
  };
  const shared = (price: number | undefined): number | undefined => (price === undefined ? undefined : price * share);
  const perToken = (name: string): number | undefined => shared(of(name));
  const [input_mtok = 0, write] = [of('input_mtok'), of('cache_write_mtok')];
  return {
    input: input_mtok * share,
    output: perToken('output_mtok') ?? 0,
    ...present({
      cacheRead: perToken('cache_read_mtok'),
      cacheWrite: shared(write),
      cacheWriteHour: shared(
        of('cache_write_1h_mtok') ?? (isAlike(write, input_mtok * fiveMinutes) ? input_mtok * anHour : undefined),
      ),
      reasoning: perToken('output_reasoning_mtok'),
      webSearch: of('web_searches_kcount'),
      call: of('requests_kcount'),
    }),
  };
}

/** Products of decimal fractions are not exact. */
function isAlike(price: number | undefined, other: number): boolean {
  return price !== undefined && Math.abs(price - other) < 1e-9;
}
