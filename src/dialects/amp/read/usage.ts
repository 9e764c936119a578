import { present } from '../../../present.ts';
import type { DecoderSink, Json } from '../../dialect.ts';
import { object } from '../../read.ts';
import { tokensBesideCache } from '../../tokens.ts';

/** For one message, or in the last line for the whole run. Input counts exclude cached tokens. */
export function readUsage(sink: DecoderSink, scope: 'step' | 'turn', usage: Json | undefined, model?: string): void {
  const wire = object(usage);
  const tokens = tokensBesideCache(wire.input_tokens, wire.output_tokens, wire.cache_read_input_tokens, wire.cache_creation_input_tokens);
  if (tokens !== undefined) sink.emit({ type: 'usage.reported', scope, ...present({ model }), ...tokens });
}
