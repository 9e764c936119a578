import { present } from '../../../present.ts';
import type { DecoderSink, Json } from '../../dialect.ts';
import { object } from '../../read.ts';
import { tokensBesideCache } from '../../tokens.ts';

/** Of one message, or of the whole run in its last line. Input counts leave the cached tokens out. */
export function readUsage(sink: DecoderSink, scope: 'step' | 'turn', usage: Json | undefined, model?: string): void {
  const wire = object(usage);
  const tokens = tokensBesideCache(wire.input_tokens, wire.output_tokens, wire.cache_read_input_tokens, wire.cache_creation_input_tokens);
  if (tokens !== undefined) sink.emit({ type: 'usage.reported', scope, ...present({ model }), ...tokens });
}
