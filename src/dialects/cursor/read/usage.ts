import type { DecoderSink, Json } from '../../dialect.ts';
import { object } from '../../read.ts';
import { tokensBesideCache } from '../../tokens.ts';

/** For the whole run; input counts exclude cached tokens. There is never a cost. */
export function readUsage(sink: DecoderSink, usage: Json | undefined): void {
  const wire = object(usage);
  const tokens = tokensBesideCache(wire.inputTokens, wire.outputTokens, wire.cacheReadTokens, wire.cacheWriteTokens);
  if (tokens !== undefined) sink.emit({ type: 'usage.reported', scope: 'turn', ...tokens });
}
