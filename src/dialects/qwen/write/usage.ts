import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';

type Usage = EventOf<'usage.reported'>;
type Tokens = Pick<Usage, 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'reasoning_tokens'>;

export function writeUsage({
  input_tokens: input = 0,
  output_tokens: output = 0,
  cache_read_tokens: cached,
}: Tokens): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    ...present({ cache_read_input_tokens: cached }),
    ...(input + output === 0 ? {} : { total_tokens: input + output }),
  };
}

/** An entry of `stats.models`. */
export function writeModelUsage({
  input_tokens: prompt = 0,
  output_tokens: candidates = 0,
  ...more
}: Tokens): JsonObject {
  const total = prompt + candidates;
  return {
    tokens: present({ prompt, candidates, total, cached: more.cache_read_tokens, thoughts: more.reasoning_tokens }),
  };
}
