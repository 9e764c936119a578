import type { Draft } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { JsonObject } from '../../dialect.ts';
import { count, filled, isObject, object } from '../../read.ts';
import { growth, isAny, isGuess, plus, type Tokens } from '../../tokens.ts';

/** Usage as the Messages API writes it: `input_tokens` excludes the cache. */
export function readUsage(wire: JsonObject): Tokens {
  return {
    ...withCache(
      count(wire.input_tokens),
      count(wire.output_tokens),
      count(wire.cache_read_input_tokens),
      count(wire.cache_creation_input_tokens),
    ),
    ...present({
      cache_write_1h_tokens: count(object(wire.cache_creation).ephemeral_1h_input_tokens) || undefined,
      web_searches: count(object(wire.server_tool_use).web_search_requests) || undefined,
    }),
  };
}

/** The price list that a model call was billed by; undefined: the standard one. */
export function serviceTierOf(wire: JsonObject): string | undefined {
  if (wire.speed === 'fast') return 'fast';
  const tier = filled(wire.service_tier);
  return tier === 'standard' ? undefined : tier;
}

/** One model of `result.modelUsage`; a cost of 0 for tokens that were used is not a price. */
function readModelUsage(wire: JsonObject): Tokens {
  const tokens: Tokens = {
    ...withCache(
      count(wire.inputTokens) ?? count(wire.input_tokens),
      count(wire.outputTokens) ?? count(wire.output_tokens),
      count(wire.cacheReadInputTokens) ?? count(wire.cache_read_input_tokens),
      count(wire.cacheCreationInputTokens) ?? count(wire.cache_creation_input_tokens),
    ),
    ...present({ reasoning_tokens: count(wire.thinkingTokens), web_searches: count(wire.webSearchRequests) || undefined }),
  };
  const cost = count(wire.costUSD) ?? count(wire.cost_usd) ?? count(wire.total_cost_usd);
  return cost && !isGuess(wire) ? { ...tokens, cost_usd: cost } : tokens;
}

const unknownCost: JsonObject = { costBasis: 'unknown' };

function withCache(input: number | undefined, output: number | undefined, read: number | undefined, written: number | undefined): Tokens {
  return present({
    input_tokens:
      input === undefined && read === undefined && written === undefined ? undefined : (input ?? 0) + (read ?? 0) + (written ?? 0),
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: written,
  });
}

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
  #resumed: { used: ReadonlyMap<string, Tokens> | undefined; cost: number } | undefined;
  /** Its totals include that. */
  #addsToIt: boolean | undefined;

  /** `total`: the `cost-state` that this process begins with. */
  resume(total: JsonObject | undefined): void {
    const used = total === undefined ? undefined : new Map(readModels(total, 'modelUsage'));
    this.#resumed = { used, cost: count(total?.totalCostUSD) ?? 0 };
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
    const told = count(wire.total_cost_usd) ?? count(wire.total_cost) ?? count(wire.cost_usd) ?? 0;
    const turn = plus(readUsage(object(wire.usage)), subAgents);
    const models = this.#ownShare(readModels(wire, 'modelUsage'), turn);
    const cost = isGuessed ? 0 : this.#addsToIt === true ? Math.max(0, told - (this.#resumed?.cost ?? 0)) : told;
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
    return all.map(([model, counted]) => {
      const tokens: Tokens = isUntold && ordered.length === 1 ? { ...counted, cost_usd: cost } : counted;
      this.#latest.set(model, tokens);
      const sum = plus(this.#before.get(model) ?? {}, tokens);
      return {
        type: 'usage.reported',
        scope: 'thread',
        ...present({ model: model || undefined, whole_session }),
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
    const main = readUsage(usage);
    if (cost < this.#paid) this.#paid = 0;
    const price = growth({ cost_usd: cost }, { cost_usd: this.#paid });
    this.#paid = Math.max(this.#paid, cost);
    if (isAny(main)) {
      const tokens = plus(plus(main, subAgents), price);
      return [{ type: 'usage.reported', scope: 'turn', ...present({ service_tier: serviceTierOf(usage) }), ...tokens }];
    }
    // A cost alone does not replace the tokens that the messages reported.
    return isAny(price) ? [{ type: 'usage.reported', scope: 'step', ...price }] : [];
  }
}

/** The `cost-state` of a session file: also calls that left no message. A total below what the messages used is not of the whole session. */
export function readTotal(wire: JsonObject, told: Tokens, mainModel: string | undefined): Draft[] {
  const models = readModels(wire, 'modelUsage');
  const cost = isGuess(wire) ? undefined : count(wire.totalCostUSD) || undefined;
  if (models.length === 0) return cost === undefined ? [] : [{ type: 'usage.reported', scope: 'step', cost_usd: cost }];
  if (exceeds(told, sumOf(models))) return [];
  const isPriced = cost === undefined || models.some(([, tokens]) => tokens.cost_usd !== undefined);
  const all: ByModel = isPriced ? models : [['', { cost_usd: cost }], ...models];
  return mainLast(all, mainModel).map(([model, tokens]) => ({
    type: 'usage.reported',
    scope: 'thread',
    ...present({ model: model || undefined }),
    ...tokens,
  }));
}

/** The result says that no token was used since the one before. */
export function isUnused(wire: JsonObject): boolean {
  const models = isObject(wire.model_usage_since_last_result) ? readSince(wire, undefined) : readModels(wire, 'modelUsage');
  return isObject(wire.usage) && !isAny(readUsage(wire.usage)) && models.length === 0;
}

type ByModel = readonly (readonly [model: string, tokens: Tokens])[];

function readModels(wire: JsonObject, field: string): ByModel {
  return Object.entries(object(wire[field]))
    .map(([model, usage]) => [model, readModelUsage({ ...object(usage), ...(isGuess(wire) ? unknownCost : {}) })] as const)
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
