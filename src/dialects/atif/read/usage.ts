import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count, filled, list, object } from '../../read.ts';
import { isGuess } from '../../tokens.ts';

type Usage = EventOf<'usage.reported'>;

/** What one step used: its prompt tokens include the cached ones. */
export function readUsage(step: JsonObject, sink: DecoderSink): void {
  const metrics = object(step.metrics);
  const extra = object(metrics.extra);
  const tokens = present({
    input_tokens: count(metrics.prompt_tokens),
    output_tokens: count(metrics.completion_tokens),
    cache_read_tokens: count(metrics.cached_tokens),
    reasoning_tokens: count(extra.reasoning_output_tokens),
    cache_write_tokens: count(extra.cache_creation_input_tokens),
    cost_usd: isGuess(extra) ? undefined : count(metrics.cost_usd),
  });
  if (Object.keys(tokens).length === 0) return;
  const scope = extra.scope === 'turn' ? 'turn' : 'step';
  const cost_computed = extra.cost_source === 'estimated' && tokens.cost_usd !== undefined ? true : undefined;
  sink.emit({ type: 'usage.reported', scope, ...present({ model: filled(step.model_name), cost_computed }), ...tokens });
}

/** The totals of the trajectory, one per model if they are separate. None: only the usage of its steps is known. */
export function readTotals(wire: JsonObject, steps: readonly JsonObject[]): Usage[] {
  const final = object(wire.final_metrics);
  const extra = object(final.extra);
  const isComputed = extra.cost_source === 'estimated';
  const cost_is = extra.cost_is === 'at_least' ? 'at_least' : undefined;
  const models = list(extra.usage_by_model).map(object);
  if (models.length > 0) return models.map((each) => usageOf(filled(each.model_name), ownTokens(each), { isComputed, cost_is }));
  const tokens = {
    input_tokens: count(final.total_prompt_tokens),
    output_tokens: count(final.total_completion_tokens),
    cache_read_tokens: count(final.total_cached_tokens),
    reasoning_tokens: count(extra.reasoning_output_tokens),
    cache_write_tokens: count(extra.cache_creation_input_tokens),
    cost_usd: isGuess(extra) ? undefined : count(final.total_cost_usd),
  };
  const hasTokens = tokens.input_tokens !== undefined || tokens.output_tokens !== undefined;
  if (!hasTokens && tokens.cost_usd === undefined) return [];
  return [
    usageOf(filled(object(wire.agent).model_name), hasTokens ? tokens : { ...sumOf(steps), cost_usd: tokens.cost_usd }, {
      isComputed,
      cost_is,
    }),
  ];
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

/** For documents in which the cost is the only total. */
function sumOf(steps: readonly JsonObject[]): Tokens {
  let [input, output] = [0, 0];
  for (const step of steps) {
    const metrics = object(step.metrics);
    input += count(metrics.prompt_tokens) ?? 0;
    output += count(metrics.completion_tokens) ?? 0;
  }
  return input + output === 0 ? {} : { input_tokens: input, output_tokens: output };
}
