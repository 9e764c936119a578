import { present } from '../../../present.ts';
import type { DecoderSink, Json } from '../../dialect.ts';
import { count, object } from '../../read.ts';

/** The totals of the run: input includes the cache. All zero: nothing was counted. */
export function readUsage(sink: DecoderSink, usage: Json | undefined, model: string | undefined): void {
  const wire = object(usage);
  const [input = 0, output = 0, thinking = 0] = [count(wire.input_tokens), count(wire.output_tokens), count(wire.thinking_tokens)];
  if (input + output + thinking === 0) return;
  // Whether thoughts are part of the output shows in the total.
  const isApart = thinking > 0 && count(wire.total_tokens) === input + output + thinking;
  sink.emit({
    type: 'usage.reported',
    scope: 'thread',
    input_tokens: input,
    output_tokens: isApart ? output + thinking : output,
    ...present({ model, reasoning_tokens: count(wire.thinking_tokens), cache_read_tokens: count(wire.cache_read_tokens) }),
  });
}
