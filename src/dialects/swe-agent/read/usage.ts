import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count, object } from '../../read.ts';

/** The totals of the run. */
export function readUsage(info: JsonObject, model: string | undefined, sink: DecoderSink): void {
  const stats = object(info.model_stats);
  const tokens = present({
    input_tokens: count(stats.tokens_sent) || undefined,
    output_tokens: count(stats.tokens_received) || undefined,
    cost_usd: count(stats.instance_cost) || undefined,
  });
  if (Object.keys(tokens).length > 0) sink.emit({ type: 'usage.reported', scope: 'thread', ...present({ model }), ...tokens });
}
