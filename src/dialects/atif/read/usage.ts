import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { count, filled, list, object } from '../../../json/read.ts';
import { isGuess } from '../../kit/tokens.ts';

type Usage = EventOf<'usage.reported'>;

/** The format's prompt tokens include the cached ones; a writer with more cached than prompt tokens anywhere counts them apart. */
export function countsCacheApart(wire: JsonObject, steps: readonly JsonObject[]): boolean {
  const { total_prompt_tokens, total_cached_tokens } = object(wire.final_metrics);
  const isMore = (cached: Json | undefined, prompt: Json | undefined): boolean =>
    (count(cached) ?? 0) > (count(prompt) ?? Infinity);
  if (isMore(total_cached_tokens, total_prompt_tokens)) return true;
  return steps.some(({ metrics }) => isMore(object(metrics).cached_tokens, object(metrics).prompt_tokens));
}

function inputOf(prompt: Json | undefined, cached: Json | undefined, isApart: boolean): number | undefined {
  const fresh = count(prompt);
  return fresh === undefined || !isApart ? fresh : fresh + (count(cached) ?? 0);
}

/** A writer that knows no price writes 0, which is none; Runwire says where it computed one. */
function priceIn(cost: Json | undefined, extra: JsonObject): number | undefined {
  const usd = isGuess(extra) ? undefined : count(cost);
  return usd === 0 && extra.cost_source === undefined ? undefined : usd;
}

/** What one step used. */
export function readUsage(step: JsonObject, isCacheApart: boolean, sink: DecoderSink): void {
  const metrics = object(step.metrics);
  const extra = object(metrics.extra);
  const tokens = present({
    input_tokens: inputOf(metrics.prompt_tokens, metrics.cached_tokens, isCacheApart),
    output_tokens: count(metrics.completion_tokens),
    cache_read_tokens: count(metrics.cached_tokens),
    reasoning_tokens: count(extra.reasoning_output_tokens),
    cache_write_tokens: count(extra.cache_creation_input_tokens),
    cost_usd: priceIn(metrics.cost_usd, extra),
  });
  if (Object.keys(tokens).length === 0) return;
  const scope = extra.scope === 'turn' ? 'turn' : 'step';
  const cost_computed = extra.cost_source === 'estimated' && tokens.cost_usd !== undefined ? true : undefined;
  sink.emit({
    type: 'usage.reported',
    scope,
    ...present({ model: filled(step.model_name), cost_computed }),
    ...tokens,
  });
}

/** The totals of the trajectory, one per model if they are separate. None: only the usage of its steps is known. */
export function readTotals(wire: JsonObject, steps: readonly JsonObject[], isCacheApart: boolean): Usage[] {
  const final = object(wire.final_metrics);
  const extra = object(final.extra);
  const isComputed = extra.cost_source === 'estimated';
  const cost_is = extra.cost_is === 'at_least' ? 'at_least' : undefined;
  const models = list(extra.usage_by_model).map(object);
  if (models.length > 0)
    return models.map((each) => usageOf(filled(each.model_name), ownTokens(each), { isComputed, cost_is }));
  const cached = count(final.total_cached_tokens) ?? cachedIn(steps);
  const tokens = {
    input_tokens: inputOf(final.total_prompt_tokens, cached, isCacheApart),
    output_tokens: count(final.total_completion_tokens),
    cache_read_tokens: cached,
    reasoning_tokens: count(extra.reasoning_output_tokens),
    cache_write_tokens: count(extra.cache_creation_input_tokens),
    cost_usd: priceIn(final.total_cost_usd, extra),
  };
  const hasTokens = tokens.input_tokens !== undefined || tokens.output_tokens !== undefined;
  if (!hasTokens && tokens.cost_usd === undefined) return [];
  const all = hasTokens ? tokens : { ...sumOf(steps, isCacheApart), cost_usd: tokens.cost_usd };
  return [usageOf(filled(object(wire.agent).model_name), all, { isComputed, cost_is })];
}

type Tokens = { [Name in keyof ReturnType<typeof ownTokens>]?: number | undefined };

function usageOf(
  model: string | undefined,
  tokens: Tokens,
  { isComputed, cost_is }: { isComputed: boolean } & Pick<Usage, 'cost_is'>,
): Usage {
  const origin = tokens.cost_usd === undefined ? {} : { cost_computed: isComputed || undefined, cost_is };
  return { type: 'usage.reported', scope: 'thread', ...present({ model, ...tokens, ...origin }) };
}

function ownTokens(each: JsonObject) {
  return {
    input_tokens: count(each.prompt_tokens),
    output_tokens: count(each.completion_tokens),
    cache_read_tokens: count(each.cached_tokens),
    reasoning_tokens: count(each.reasoning_output_tokens),
    cache_write_tokens: count(each.cache_creation_input_tokens),
    cost_usd: count(each.cost_usd),
  };
}

/** For totals that leave the cached tokens out. */
function cachedIn(steps: readonly JsonObject[]): number | undefined {
  const cached = steps.flatMap(({ metrics }) => count(object(metrics).cached_tokens) ?? []);
  return cached.length === 0 ? undefined : cached.reduce((sum, each) => sum + each);
}

/** For documents in which the cost is the only total. */
function sumOf(steps: readonly JsonObject[], isCacheApart: boolean): Tokens {
  let [input, output] = [0, 0];
  for (const step of steps) {
    const metrics = object(step.metrics);
    input += inputOf(metrics.prompt_tokens, metrics.cached_tokens, isCacheApart) ?? 0;
    output += count(metrics.completion_tokens) ?? 0;
  }
  return input + output === 0 ? {} : { input_tokens: input, output_tokens: output };
}
