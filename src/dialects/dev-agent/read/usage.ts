import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { compact, count, string } from '../../read.ts';

/** The program itself counts nothing; reports that Runwire wrote have the metrics of an outcome. */
export function readUsage(metrics: JsonObject, sink: DecoderSink): void {
  const usage = compact({
    model: string(metrics.model_name),
    input_tokens: count(metrics.input_tokens),
    output_tokens: count(metrics.output_tokens),
    reasoning_tokens: count(metrics.reasoning_tokens),
    cache_read_tokens: count(metrics.cache_read_tokens),
    cache_write_tokens: count(metrics.cache_write_tokens),
    cost_usd: metrics.cost_source === 'reported' ? count(metrics.cost) : undefined,
  });
  if (Object.keys(usage).length > 0) sink.emit({ type: 'usage.reported', scope: 'thread', ...usage });
}
