import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { count, isObject, list, object, string, whole } from '../../../json/read.ts';

/** The program itself counts nothing; reports that Runwire wrote have the metrics of an outcome. */
export function readUsage(outcome: JsonObject, sink: DecoderSink): void {
  const metrics = object(outcome.metrics);
  const models = list(outcome.usage_by_model).filter(isObject);
  const isMain = (usage: JsonObject): boolean => usage.model_name === metrics.model_name;
  // The model that is reported last is the model of the run.
  for (const usage of models.length > 1
    ? [...models.filter((each) => !isMain(each)), ...models.filter(isMain)]
    : [metrics])
    readTokens(usage, metrics, sink);
  readChildren(object(outcome.children), sink);
}

function readTokens(usage: JsonObject, { cost_source: source, cost_is }: JsonObject, sink: DecoderSink): void {
  const cost_usd = source === 'unknown' ? undefined : count(usage.cost);
  const tokens = present({
    model: string(usage.model_name),
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    reasoning_tokens: count(usage.reasoning_tokens),
    cache_read_tokens: count(usage.cache_read_tokens),
    cache_write_tokens: count(usage.cache_write_tokens),
    cost_usd,
    cost_computed: cost_usd !== undefined && (source === 'computed' || source === 'wire') ? true : undefined,
    cost_is: cost_usd === undefined ? undefined : boundOf(cost_is),
  });
  if (Object.keys(tokens).length > 0) sink.emit({ type: 'usage.reported', scope: 'thread', ...tokens });
}

function boundOf(cost: Json | undefined): 'at_least' | undefined {
  return cost === 'at_least' ? cost : undefined;
}

function readChildren(children: JsonObject, sink: DecoderSink): void {
  const runs = whole(children.runs);
  if (runs === undefined || runs === 0) return;
  sink.emit({
    type: 'children.reported',
    runs,
    ...present({
      tokens_used: count(children.tokens_used),
      input_tokens: count(children.input_tokens),
      output_tokens: count(children.output_tokens),
      cost_usd: count(children.cost),
    }),
    cost_known: whole(children.cost_known) ?? 0,
    ...present({ cost_is: boundOf(children.cost_is) }),
  });
}
