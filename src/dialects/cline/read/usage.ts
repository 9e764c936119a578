import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count, filled, object } from '../../read.ts';
import { isGuess } from '../../tokens.ts';

/** One model call. The line also has the totals so far. */
export function readUsage(sink: DecoderSink, event: JsonObject): void {
  report(sink, 'step', event, count(event.cost), undefined);
}

/** The whole run, including its sub-agents if the line counts them. */
export function readTotals(sink: DecoderSink, result: JsonObject): void {
  const total = object(result.aggregateUsage ?? result.usage);
  report(sink, 'thread', total, count(total.totalCost), filled(object(result.model).id));
}

/** Input counts include cached tokens. All zero means that nothing was counted; a cost of 0 means that no price is known. */
function report(sink: DecoderSink, scope: 'step' | 'thread', wire: JsonObject, cost: number | undefined, model: string | undefined): void {
  const tokens = present({
    input_tokens: count(wire.inputTokens),
    output_tokens: count(wire.outputTokens),
    cache_read_tokens: count(wire.cacheReadTokens) || undefined,
    cache_write_tokens: count(wire.cacheWriteTokens) || undefined,
  });
  if (!tokens.input_tokens && !tokens.output_tokens) return;
  sink.emit({ type: 'usage.reported', scope, ...tokens, ...present({ model, cost_usd: isGuess(wire) ? undefined : cost || undefined }) });
}
