import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { count } from '../../read.ts';
import { isGuess } from '../../tokens.ts';

/** The totals of the session; input includes cached tokens. False: they are not reported by kind. */
export function readUsage(sink: DecoderSink, totals: JsonObject): boolean {
  const tokens = present({
    input_tokens: count(totals.input_tokens),
    output_tokens: count(totals.output_tokens),
    cache_read_tokens: count(totals.cache_read_input_tokens),
    cache_write_tokens: count(totals.cache_write_input_tokens),
    cost_usd: isGuess(totals) ? undefined : (count(totals.cost_usd) ?? count(totals.total_cost_usd)),
  });
  if (Object.values(tokens).every((value) => value === 0)) return false;
  sink.emit({ type: 'usage.reported', scope: 'thread', whole_session: true, ...tokens });
  return tokens.input_tokens !== undefined || tokens.output_tokens !== undefined;
}
