import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count } from '../../../json/read.ts';
import { isAny, type Tokens } from '../../kit/tokens.ts';

/** Input includes what came from the cache, output includes reasoning. */
export function tokensOf(wire: JsonObject): Tokens {
  return present({
    input_tokens: count(wire.input_tokens),
    output_tokens: count(wire.output_tokens),
    reasoning_tokens: count(wire.reasoning_output_tokens),
    cache_read_tokens: count(wire.cached_input_tokens),
    cache_write_tokens: count(wire.cache_write_input_tokens),
  });
}

/** The total of the whole thread, which is all that is printed. All zero means that the provider reported nothing. */
export function readUsage(totals: JsonObject, sink: DecoderSink): void {
  const tokens = tokensOf(totals);
  if (isAny(tokens)) sink.emit({ type: 'usage.reported', scope: 'thread', whole_session: true, ...tokens });
}
