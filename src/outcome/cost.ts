import { present } from '../json/present.ts';
import type { ModelUsage } from './outcome.ts';
import { type Call, dollars, type Price } from './price.ts';
import { type Alike, type Requests, sumOf } from './requests.ts';
import { isDearer } from './service-tier.ts';
import { isBillable, isWithin, type Tokens, type Used, without } from './tokens.ts';
import type { UsageTotals } from './usage.ts';

export interface Cost {
  cost?: number;
  source: 'reported' | 'computed' | 'wire' | 'unknown';
  /** The cost is a lower bound: some of it depends on what each model call used, or on what came from a cache, and only a total is known. */
  is?: 'at_least';
}

export interface Amount {
  usd: number;
  isAtLeast: boolean;
}

/** The agent's own figure first, for each model; else the sum of what each model call costs; else unknown, never 0. */
export function costOf(totals: UsageTotals, defaultModel: string | undefined, price: Price | undefined): Cost {
  const missing = unpriced(totals, price);
  const reported = totals.total().cost;
  if (missing.length === 0 && reported === undefined) return { source: 'unknown' };
  let { isAtLeast, isComputed } = totals;
  let sum = reported ?? 0;
  for (const [model, used, isRest] of missing) {
    const amount = costOfModel(model || defaultModel, used, price);
    if (amount === undefined && !isRest) return { source: 'unknown' };
    isAtLeast ||= amount?.isAtLeast ?? true;
    isComputed ||= amount !== undefined;
    sum += amount?.usd ?? 0;
  }
  const source = isComputed ? 'computed' : 'reported';
  return { cost: dollars(sum), source, ...(isAtLeast ? { is: 'at_least' } : {}) };
}

/** The same for one model alone; undefined: nothing tells what it cost. */
export function costOfModel(name: string | undefined, used: Used, price: Price | undefined): Amount | undefined {
  const reported = used.cost === undefined ? undefined : { usd: dollars(used.cost), isAtLeast: false };
  if (reported !== undefined && !(reported.usd === 0 && price?.isGiven === true)) {
    if (used.unpaid === undefined) return reported;
    const rest = costOfModel(name, used.unpaid, price);
    return { usd: reported.usd + (rest?.usd ?? 0), isAtLeast: rest?.isAtLeast ?? true };
  }
  const isKnown = used.input !== undefined && used.output !== undefined;
  return (isKnown && price !== undefined ? computed(name, used, price) : undefined) ?? reported;
}

/** Each call at its own price; what no call accounts for at the lowest price that it may have had. */
function computed(name: string | undefined, used: Used, price: Price): Amount | undefined {
  const sum = used.requests === undefined ? undefined : sumOf(used.requests);
  const requests: Requests =
    used.requests !== undefined && sum !== undefined && isWithin(sum, used) ? used.requests : new Map();
  let usd = 0;
  let isAtLeast = false;
  for (const { model, tokens, isCacheUnknown, ...call } of requests.values()) {
    const cost = price(model || name, isCacheUnknown ? allCached(tokens) : tokens, call);
    if (cost === undefined) return undefined;
    usd += cost;
    isAtLeast ||=
      isDearer(call.serviceTier) || (isCacheUnknown === true && cost !== price(model || name, tokens, call));
  }
  const rest = requests.size === 0 ? used : without(used, sum ?? {});
  if (requests.size > 0 && !isBillable(rest)) return { usd, isAtLeast };
  const { lowest, highest } = bounds(rest.input ?? 0, used, [...requests.values()]);
  const least = price(name, used.isCacheUnknown ? allCached(rest) : rest, lowest);
  const most = price(name, rest, highest);
  if (least === undefined || most === undefined) return undefined;
  return { usd: usd + least, isAtLeast: isAtLeast || most > least || isDearer(lowest.serviceTier) };
}

/** What is told of the input, if as much as can be came from a cache, where it costs the least. */
function allCached(tokens: Tokens): Tokens {
  return { ...tokens, cacheRead: tokens.input ?? 0 };
}

/** The rest of a total may be from calls that were not reported at all, or it is the end of those that were. */
function bounds(input: number, { at, serviceTier }: Used, requests: readonly Alike[]): { lowest: Call; highest: Call } {
  const inputs = requests.map((each) => each.input);
  const [first] = requests;
  const calls = first === undefined ? 1 : 0;
  const shared = requests.every((each) => each.serviceTier === first?.serviceTier) ? first?.serviceTier : undefined;
  const same = { calls, at, serviceTier: first === undefined ? serviceTier : shared };
  return {
    lowest: { ...same, input: input > 0 || first === undefined ? 0 : Math.min(...inputs) },
    highest: { ...same, input: Math.max(input, ...inputs) },
  };
}

/** What each model used; undefined where there is only one. */
export function usageByModel(
  usage: UsageTotals,
  defaultModel: string | undefined,
  price: Price | undefined,
): ModelUsage[] | undefined {
  const models = [...usage.byModel(defaultModel)];
  if (models.length < 2) return undefined;
  return models.map(([model, used]) => {
    const name = model || undefined;
    return present({
      model_name: name,
      input_tokens: used.input,
      output_tokens: used.output,
      reasoning_tokens: used.reasoning,
      cache_read_tokens: used.cacheRead,
      cache_write_tokens: used.cacheWrite,
      cost: costInDollars(costOfModel(name, used, price)),
    });
  });
}

function costInDollars(amount: Amount | undefined): number | undefined {
  return amount === undefined ? undefined : dollars(amount.usd);
}

type Unpriced = [model: string, used: Used, isRest: boolean];

/** Models whose tokens are known but whose cost is not, and the rest of those whose cost is for a part. A cost without tokens covers all models. */
export function unpriced(totals: UsageTotals, price?: Price): Unpriced[] {
  const models = [...totals.byModel()];
  const isTold = ({ cost = 0 }: Used): boolean => cost > 0 || price?.isGiven !== true;
  if (
    models.some(
      ([, each]) => each.cost !== undefined && isTold(each) && each.input === undefined && each.output === undefined,
    )
  )
    return [];
  return models.flatMap(([model, used]): Unpriced[] => {
    if (used.cost === undefined || !isTold(used)) return [[model, used, false]];
    return used.unpaid === undefined ? [] : [[model, used.unpaid, true]];
  });
}
