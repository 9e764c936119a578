import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count, isObject, object } from '../../../json/read.ts';
import { readMessagesUsage } from '../../kit/messages-usage.ts';
import { tierOfMessages } from '../../../outcome/service-tier.ts';
import { growth, isAny, isGuess, plus, type Tokens } from '../../kit/tokens.ts';
import { anthropicFields, type Counting, tokensIn } from '../../kit/usage.ts';

/** One model of `result.modelUsage`; a cost of 0 for tokens that were used is not a price. */
const ofModel: Counting = {
  fields: {
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    cacheReadInputTokens: 'cache_read_tokens',
    cacheCreationInputTokens: 'cache_write_tokens',
    cacheCreationEphemeral1hInputTokens: 'cache_write_1h_tokens',
    thinkingTokens: 'reasoning_tokens',
    webSearchRequests: 'web_searches',
    costUSD: 'cost_usd',
    ...anthropicFields,
    cost_usd: 'cost_usd',
    total_cost_usd: 'cost_usd',
  },
  cacheIsApart: true,
  unknownIfZero: ['cost_usd', 'cache_write_1h_tokens', 'web_searches'],
};

const unknownCost: JsonObject = { costBasis: 'unknown' };

/**
 * `modelUsage` and `total_cost_usd` count the whole process, including sub-agents and helper calls, and since some version also
 * what a resumed session had used before; `model_usage_since_last_result` counts the same calls without that; `usage` counts the
 * main loop of one turn. If a process restarts its counts, the earlier ones are kept.
 */
export class Usage {
  /** From processes that have ended, and of turns that are told one by one. */
  readonly #before = new Map<string, Tokens>();
  #latest = new Map<string, Tokens>();
  #paid = 0;
  /** Its first totals are more than its first turn: they begin with what the session had used before it was resumed. */
  #isWhole: boolean | undefined;
  #tellsTurns = false;
  /** Set in a run that resumes a session: what the session had used, if its file says it. */
  #resumed: { used: ReadonlyMap<string, Tokens> | undefined; cost: number | undefined } | undefined;
  /** Its totals include that. */
  #addsToIt: boolean | undefined;

  /** `total`: the `cost-state` that this process begins with. */
  resume(total: JsonObject | undefined): void {
    const used = total === undefined ? undefined : new Map(readModels(total, 'modelUsage'));
    this.#resumed = { used, cost: total === undefined || isGuess(total) ? undefined : count(total.totalCostUSD) };
  }

  /** The conversation begins anew, and so do the totals. */
  reset(): void {
    this.restart();
    this.#resumed = undefined;
  }

  restart(): void {
    for (const [model, tokens] of this.#latest) this.#before.set(model, plus(this.#before.get(model) ?? {}, tokens));
    this.#latest = new Map();
    this.#paid = 0;
  }

  /** The totals in a result line. */
  read(wire: JsonObject, mainModel: string | undefined, subAgents: Tokens): Draft[] {
    this.#tellsTurns ||= isObject(wire.model_usage_since_last_result);
    if (this.#tellsTurns) return this.#grown(wire, mainModel);
    const isGuessed = isGuess(wire) || Object.values(object(wire.modelUsage)).some((each) => isGuess(object(each)));
    const whole = count(wire.total_cost_usd) ?? count(wire.total_cost) ?? count(wire.cost_usd) ?? 0;
    const turn = plus(readMessagesUsage(object(wire.usage)), subAgents);
    const models = this.#ownShare(readModels(wire, 'modelUsage'), turn);
    const cost = isGuessed ? 0 : this.#ownCost(whole);
    if (models.length === 0) return this.#turn(object(wire.usage), cost, subAgents);
    if (models.some(([model, tokens]) => size(tokens) < size(this.#latest.get(model)))) this.restart();
    const ordered = mainLast(models, mainModel);
    const isPriced = ordered.some(([, tokens]) => tokens.cost_usd !== undefined);
    const isUntold = !isPriced && cost > 0;
    // A cost without a model covers all of them.
    const all = isUntold && ordered.length > 1 ? [['', { cost_usd: cost }] as const, ...ordered] : ordered;
    // Another model is one for titles and the like, or the model of a run before; nothing tells which.
    const isUnclear = this.#resumed !== undefined && this.#resumed.used === undefined && models.length > 1;
    this.#isWhole ??= this.#addsToIt !== true && (isUnclear || exceeds(ordered.at(-1)?.[1], turn));
    const whole_session = this.#isWhole || undefined;
    const service_tier = ordered.length === 1 ? tierOfMessages(object(wire.usage)) : undefined;
    return all.map(([model, counted]) => {
      const own = ordered.length === 1 ? withHour(counted, turn) : counted;
      const tokens: Tokens = isUntold && ordered.length === 1 ? { ...own, cost_usd: cost } : own;
      this.#latest.set(model, tokens);
      const sum = plus(this.#before.get(model) ?? {}, tokens);
      return {
        type: 'usage.reported',
        scope: 'thread',
        ...present({ model: model || undefined, service_tier, whole_session }),
        ...sum,
      };
    });
  }

  /** The totals without what the session had used before, unless they never included it. */
  #ownShare(models: ByModel, turn: Tokens): ByModel {
    const used = this.#resumed?.used;
    if (used === undefined || models.length === 0) return models;
    const own = models.map(([model, tokens]) => [model, growth(tokens, used.get(model) ?? {})] as const);
    if (this.#addsToIt === undefined) {
      const totals = new Map(models);
      const isIncluded = used.entries().every(([model, tokens]) => size(tokens) <= size(totals.get(model)));
      this.#addsToIt = isIncluded && (sumOf(own).input_tokens ?? 0) >= (turn.input_tokens ?? 0);
    }
    return this.#addsToIt ? own.filter(([, tokens]) => isAny(tokens)) : models;
  }

  #ownCost(whole: number): number {
    const before = this.#resumed?.cost;
    // Versions that keep their total in the session's file begin with it.
    const isIncluded = before !== undefined && (this.#addsToIt ?? whole >= before);
    return isIncluded ? (growth({ cost_usd: whole }, { cost_usd: before }).cost_usd ?? 0) : whole;
  }

  /** What was used since the result before this one. */
  #grown(wire: JsonObject, mainModel: string | undefined): Draft[] {
    const models = readSince(wire, mainModel);
    const cost = models.some(([, { cost_usd }]) => cost_usd !== undefined) ? undefined : this.#costSince(wire, models);
    // A cost without a model covers all of them.
    const all = cost !== undefined && models.length > 1 ? [['', { cost_usd: cost }] as const, ...models] : models;
    return mainLast(all, mainModel).map(([model, counted]) => {
      const tokens = cost !== undefined && models.length === 1 ? { ...counted, cost_usd: cost } : counted;
      const sum = plus(this.#before.get(model) ?? {}, tokens);
      this.#before.set(model, sum);
      return { type: 'usage.reported', scope: 'thread', ...present({ model: model || undefined }), ...sum };
    });
  }

  /** The share of `total_cost_usd`; undefined: it includes an unknown amount from before this process. */
  #costSince(wire: JsonObject, models: ByModel): number | undefined {
    const total = count(wire.total_cost_usd);
    if (isGuess(wire) || total === undefined || models.length === 0) return undefined;
    const paid = this.#paid;
    this.#paid = total;
    const isAll = size(sumOf(readModels(wire, 'modelUsage'))) === size(sumOf(models));
    return (paid > 0 || isAll) && total > paid ? growth({ cost_usd: total }, { cost_usd: paid }).cost_usd : undefined;
  }

  #turn(usage: JsonObject, cost: number, subAgents: Tokens): Draft[] {
    const main = readMessagesUsage(usage);
    if (cost < this.#paid) this.#paid = 0;
    // The first total includes an unknown amount from before this process; what it grows by later does not.
    const isUnclear = this.#resumed !== undefined && this.#resumed.cost === undefined;
    const price = isUnclear && this.#paid === 0 ? {} : growth({ cost_usd: cost }, { cost_usd: this.#paid });
    const cost_is = isUnclear && isAny(price) ? ('at_least' as const) : undefined;
    this.#paid = Math.max(this.#paid, cost);
    if (isAny(main)) {
      const tokens = plus(plus(main, subAgents), price);
      return [
        {
          type: 'usage.reported',
          scope: 'turn',
          ...present({ service_tier: tierOfMessages(usage), cost_is }),
          ...tokens,
        },
      ];
    }
    // A cost alone does not replace the tokens that the messages reported.
    return isAny(price) ? [{ type: 'usage.reported', scope: 'step', ...present({ cost_is }), ...price }] : [];
  }
}

/** The `cost-state` of a session file: also calls that left no message. A total below what the messages used is not of the whole session. */
export function readTotal(wire: JsonObject, used: Tokens, mainModel: string | undefined): Draft[] {
  const models = totalsIn(wire);
  const [first] = models;
  if (models.length === 1 && first?.[0] === '') return [{ type: 'usage.reported', scope: 'step', ...first[1] }];
  if (exceeds(used, sumOf(models))) return [];
  return mainLast(models, mainModel).map(([model, tokens]) => ({
    type: 'usage.reported',
    scope: 'thread',
    ...present({ model: model || undefined }),
    ...tokens,
  }));
}

/** What each model used and cost, by the `cost-state` of a session file. A cost without a model covers all of them. */
export function totalsIn(wire: JsonObject): ByModel {
  const models = readModels(wire, 'modelUsage');
  const cost = isGuess(wire) ? undefined : count(wire.totalCostUSD) || undefined;
  const isPriced = cost === undefined || models.some(([, tokens]) => tokens.cost_usd !== undefined);
  return isPriced ? models : [['', { cost_usd: cost }], ...models];
}

/** The result says that no token was used since the one before. */
export function isUnused(wire: JsonObject): boolean {
  const models = isObject(wire.model_usage_since_last_result)
    ? readSince(wire, undefined)
    : readModels(wire, 'modelUsage');
  return isObject(wire.usage) && !isAny(readMessagesUsage(wire.usage)) && models.length === 0;
}

/** Where a total is that of the turn, the turn tells what was written for an hour. */
function withHour(total: Tokens, { cache_write_tokens, cache_write_1h_tokens }: Tokens): Tokens {
  const isOfTurn = total.cache_write_tokens === cache_write_tokens && cache_write_1h_tokens !== undefined;
  return isOfTurn ? { cache_write_1h_tokens, ...total } : total;
}

type ByModel = readonly (readonly [model: string, tokens: Tokens])[];

function readModels(wire: JsonObject, field: string): ByModel {
  return Object.entries(object(wire[field]))
    .map(
      ([model, usage]) =>
        [model, tokensIn(ofModel, { ...object(usage), ...(isGuess(wire) ? unknownCost : {}) })] as const,
    )
    .filter(([, tokens]) => isAny(tokens));
}

/** By model, or as one sum. */
function readSince(wire: JsonObject, mainModel: string | undefined): ByModel {
  const models = readModels(wire, 'model_usage_since_last_result');
  if (models.length > 0) return models;
  return readModels({ ...wire, sum: { [mainModel ?? '']: wire.model_usage_since_last_result ?? {} } }, 'sum');
}

/** The last model named is the model of the run. */
function mainLast(models: ByModel, main: string | undefined): ByModel {
  return models.toSorted(([left], [right]) => Number(isSame(left, main)) - Number(isSame(right, main)));
}

function sumOf(models: ByModel): Tokens {
  let sum: Tokens = {};
  for (const [, tokens] of models) sum = plus(sum, tokens);
  return sum;
}

function exceeds(total: Tokens | undefined, turn: Tokens): boolean {
  return isAny(turn) && (total?.input_tokens ?? 0) > (turn.input_tokens ?? 0);
}

function size(tokens: Tokens | undefined): number {
  return (tokens?.input_tokens ?? 0) + (tokens?.output_tokens ?? 0);
}

/** `modelUsage` may name a variant of the model that the messages name: `x[1m]`. */
function isSame(model: string, main: string | undefined): boolean {
  return main !== undefined && (model.startsWith(main) || main.startsWith(model));
}
