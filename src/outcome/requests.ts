import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import { serviceTierOf } from './service-tier.ts';
import { addTokens, type Tokens } from './tokens.ts';

/**
 * The inputs above which a model of the price table has another price; a test compares them with the table. They are listed
 * here because the table is large, and is loaded only when a price is needed.
 */
export const tierStarts = [128_000, 199_999, 200_000, 271_999, 272_000, 512_000] as const;

/** Prices change only at such times: at midnight UTC, and within a day at full and half hours. A test compares this with the table too. */
export const periodMs = 1_800_000;

/** Model calls that have the same price for each of their tokens, and what they used together. */
export interface Alike {
  /** As the calls named it; empty: they did not. */
  readonly model: string;
  /** The input of one of them. */
  readonly input: number;
  /** When one of them was made (ms since the epoch), if known. */
  readonly at?: number | undefined;
  /** `batch`, `priority` and the like; absent: the standard one. */
  readonly serviceTier?: string | undefined;
  /** How much of their input came from a cache is not told. */
  readonly isCacheUnknown?: boolean | undefined;
  calls: number;
  readonly tokens: Tokens;
}

/** Model calls, summed where one price holds: a long run has thousands of calls, but few of these sums. */
export type Requests = Map<string, Alike>;

type Usage = EventOf<'usage.reported'>;

/** One model call, or a part of one that is reported piece by piece: the input of the whole call decides its price. */
export function requestOf(usage: Usage, tokens: Tokens, at: number | undefined): Requests {
  const { model = '', call_input_tokens, cache_is } = usage;
  const input = call_input_tokens ?? tokens.input ?? 0;
  const serviceTier = serviceTierOf(usage);
  const tier = tierOf(input);
  const period = at === undefined ? '' : Math.floor(at / periodMs);
  const isCacheUnknown = cache_is === 'unknown' || undefined;
  const { cost: _cost, ...used } = tokens;
  const alike: Alike = {
    model,
    input,
    ...present({ at, serviceTier, isCacheUnknown }),
    calls: call_input_tokens === undefined ? 1 : 0,
    tokens: used,
  };
  return new Map([[`${tier} ${period} ${isCacheUnknown ?? ''} ${serviceTier ?? ''} ${model}`, alike]]);
}

/** Which of the ranges between these inputs an input is in. */
export function tierOf(input: number): number {
  return tierStarts.findIndex((start) => input <= start);
}

export function addRequests(into: Requests, more: Requests): void {
  for (const [key, each] of more) {
    const known = into.get(key);
    if (known === undefined) into.set(key, { ...each, tokens: { ...each.tokens } });
    else {
      known.calls += each.calls;
      addTokens(known.tokens, each.tokens);
    }
  }
}

export function sumOf(requests: Requests): Tokens {
  const sum: Tokens = {};
  for (const { tokens } of requests.values()) addTokens(sum, tokens);
  return sum;
}
