import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count } from '../../read.ts';

/**
 * Running totals of the whole thread: input includes what came from the cache, output includes reasoning. All zero means
 * that the provider reported nothing.
 */
export function readUsage(totals: JsonObject, sink: DecoderSink, more: { model?: string; whole_session?: boolean } = {}): void {
  const tokens = present({
    input_tokens: count(totals.input_tokens),
    output_tokens: count(totals.output_tokens),
    reasoning_tokens: count(totals.reasoning_output_tokens),
    cache_read_tokens: count(totals.cached_input_tokens),
    cache_write_tokens: count(totals.cache_write_input_tokens),
  });
  if (Object.values(tokens).some((value) => value > 0)) sink.emit({ type: 'usage.reported', scope: 'thread', ...more, ...tokens });
}
