import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count, filled, object } from '../../read.ts';
import { isGuess, tokensBesideCache } from '../../tokens.ts';

/** For this message alone; input excludes the cached part. All zero: the provider counted nothing. */
export function readUsage(sink: DecoderSink, message: JsonObject): void {
  const wire = object(message.usage);
  const tokens = tokensBesideCache(wire.input, wire.output, wire.cacheRead, wire.cacheWrite);
  if (tokens === undefined) return;
  const more = present({ model: filled(message.model), cost_usd: isGuess(wire) ? undefined : count(object(wire.cost).total) || undefined });
  sink.emit({ type: 'usage.reported', scope: 'step', ...more, ...tokens });
}
