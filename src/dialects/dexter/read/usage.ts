import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count } from '../../read.ts';

/** Totals of the run, including cached input; absent or zero if the provider reports nothing. */
export function readUsage(usage: JsonObject, sink: DecoderSink, model?: string): void {
  const tokens = present({ input_tokens: count(usage.inputTokens), output_tokens: count(usage.outputTokens) });
  if (Object.values(tokens).some((value) => value > 0))
    sink.emit({ type: 'usage.reported', scope: 'thread', ...present({ model }), ...tokens, cache_is: 'unknown' });
}
