import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count } from '../../../json/read.ts';

/** Totals of the run, including cached input; absent or zero if the provider reports nothing. */
export function readUsage(usage: JsonObject, sink: DecoderSink, model?: string): void {
  const tokens = present({ input_tokens: count(usage.inputTokens), output_tokens: count(usage.outputTokens) });
  if (Object.values(tokens).some((value) => value > 0))
    sink.emit({ type: 'usage.reported', scope: 'thread', ...present({ model }), ...tokens, cache_is: 'unknown' });
}
