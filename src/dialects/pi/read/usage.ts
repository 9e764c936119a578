import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count, filled, object } from '../../../json/read.ts';
import { isAny, isGuess } from '../../kit/tokens.ts';
import { type Counting, tokensIn } from '../../kit/usage.ts';

const counting: Counting = {
  fields: {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cache_read_tokens',
    cacheWrite: 'cache_write_tokens',
  },
  cacheIsApart: true,
};

/** For this message alone. All zero: the provider counted nothing. */
export function readUsage(sink: DecoderSink, message: JsonObject): void {
  const wire = object(message.usage);
  const tokens = tokensIn(counting, wire);
  if (!isAny(tokens)) return;
  const more = present({
    model: filled(message.model),
    cost_usd: isGuess(wire) ? undefined : count(object(wire.cost).total) || undefined,
  });
  sink.emit({ type: 'usage.reported', scope: 'step', ...more, ...tokens });
}
