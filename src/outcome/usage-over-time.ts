import { present } from '../json/present.ts';
import type { RunOutcome } from './outcome.ts';
import { dollars, type Price } from './price.ts';
import { addTokens, type Tokens } from './tokens.ts';

/** In every time zone, hours and days begin at such a time. */
const quarterMs = 900_000;
/** A month of an agent that works eight hours a day. */
const mostParts = 1000;

const counted = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const;

/** What a run used in each quarter of an hour: what its totals were at the end of one, less what they were before. */
export class UsageOverTime {
  #periodMs = quarterMs;
  readonly #parts = new Map<number, Tokens>();
  /** The beginning of the period that is being filled. */
  #now: number | undefined;
  #before: Tokens = {};

  /** Called with the time of a report before it is counted. */
  see(at: number, total: () => Tokens): void {
    if (this.#now !== undefined && at >= this.#now && at < this.#now + this.#periodMs) return;
    if (this.#now !== undefined) this.#close(total());
    this.#now = at - (at % this.#periodMs);
  }

  #close(total: Tokens): void {
    addTo(this.#parts, this.#now ?? 0, less(total, this.#before));
    this.#before = total;
    if (this.#parts.size <= mostParts) return;
    // A year of hours is not worth more than a year of days.
    this.#periodMs *= 4;
    const parts = [...this.#parts];
    this.#parts.clear();
    for (const [at, used] of parts) addTo(this.#parts, at - (at % this.#periodMs), used);
  }

  /** Undefined: all of it was used when the run began, or nobody knows when. */
  of(
    total: Tokens,
    startedAt: number | undefined,
    cost: number | undefined,
    price: ((used: Tokens, at: number) => number | undefined) | undefined,
  ): RunOutcome['usage_over_time'] {
    if (startedAt === undefined || this.#now === undefined) return undefined;
    const parts = new Map([...this.#parts].map(([at, used]) => [at, { ...used }]));
    addTo(parts, this.#now, less(total, this.#before));
    const inOrder = neverBelowZero([...parts].toSorted(([one], [other]) => one - other));
    const start = startedAt - (startedAt % quarterMs);
    if (inOrder.every(([at]) => at === start)) return undefined;
    const costs = cost === undefined ? [] : shares(cost, inOrder, price);
    return inOrder.map(([at, used], index) => ({
      at,
      ...present({
        input_tokens: used.input,
        output_tokens: used.output,
        reasoning_tokens: used.reasoning,
        cache_read_tokens: used.cacheRead,
        cache_write_tokens: used.cacheWrite,
        cost: costs[index],
      }),
    }));
  }
}

export function pricedBy(price: Price | undefined, model: string | undefined) {
  if (price === undefined || model === undefined) return undefined;
  return (used: Tokens, at: number): number | undefined => price(model, used, { input: 0, calls: 0, at });
}

type Parts = [at: number, used: Tokens][];

function addTo(parts: Map<number, Tokens>, at: number, used: Tokens): void {
  const known = parts.get(at);
  if (known === undefined) parts.set(at, used);
  else addTokens(known, used);
}

function less(total: Tokens, before: Tokens): Tokens {
  const rest: Tokens = {};
  for (const field of [...counted, 'cost'] as const) {
    const value = total[field];
    if (value !== undefined) rest[field] = value - (before[field] ?? 0);
  }
  return rest;
}

/** A total may be less than what was reported step by step: then the last steps before it were too much, or if times are out of order, those after it. */
function neverBelowZero(parts: Parts): Parts {
  for (const field of [...counted, 'cost'] as const) {
    let owed = 0;
    for (const [, used] of [...parts.toReversed(), ...parts]) {
      const left = (used[field] ?? 0) + owed;
      if (used[field] !== undefined) used[field] = Math.max(0, left);
      owed = Math.min(0, left);
    }
  }
  return parts.filter(([, used]) => Object.values(used).some((value) => value > 0));
}

/** What each part cost: what was reported of it, or what its tokens cost by the list, so that it adds up to what the run cost. */
function shares(
  cost: number,
  parts: Parts,
  price: ((used: Tokens, at: number) => number | undefined) | undefined,
): number[] {
  const prices = parts.map(([at, used]) => used.cost ?? price?.(used, at));
  const tokens = parts.map(([, { input = 0, output = 0 }]) => input + output);
  const isPriced = prices.every((each) => each !== undefined) && prices.some((each) => each > 0);
  const weights = isPriced ? prices : tokens;
  const sum = weights.reduce((whole, each) => whole + each, 0);
  // Millionths of a dollar are kept in few bytes; the last part has what is left over.
  const rounded = cost < 0.01 ? dollars : (share: number): number => Math.round(share * 1e6) / 1e6;
  let left = cost;
  return weights.map((weight, index) => {
    const share = index === weights.length - 1 ? left : Math.min(left, sum === 0 ? 0 : rounded((cost * weight) / sum));
    left = dollars(left - share);
    return share;
  });
}
