import { present } from '../../../present.ts';
import type { DecoderSink, Json } from '../../dialect.ts';
import { count, object } from '../../read.ts';
import { tokensBesideCache } from '../../tokens.ts';

/** For the whole run. Input counts exclude cached tokens. */
export function readUsage(sink: DecoderSink, usage: Json | undefined): void {
  const wire = object(usage);
  const tokens = tokensBesideCache(wire.input_tokens, wire.output_tokens, wire.cache_read_input_tokens, wire.cache_creation_input_tokens);
  if (tokens === undefined) return;
  sink.emit({ type: 'usage.reported', scope: 'turn', ...present({ reasoning_tokens: count(wire.thinking_tokens) }), ...tokens });
}
