import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';

type Usage = EventOf<'usage.reported'>;
type Tokens = Pick<Usage, 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'reasoning_tokens'>;

export function writeUsage({ input_tokens: input = 0, output_tokens: output = 0, cache_read_tokens: cached }: Tokens): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
    ...(input + output === 0 ? {} : { total_tokens: input + output }),
  };
}

/** An entry of `stats.models`. */
export function writeModelUsage({ input_tokens: prompt = 0, output_tokens: candidates = 0, ...more }: Tokens): JsonObject {
  const total = prompt + candidates;
  return { tokens: compact({ prompt, candidates, total, cached: more.cache_read_tokens, thoughts: more.reasoning_tokens }) };
}

export function addUsage(one: Usage, two: Usage): Usage {
  return {
    ...one,
    ...compact({
      input_tokens: plus(one.input_tokens, two.input_tokens),
      output_tokens: plus(one.output_tokens, two.output_tokens),
      cache_read_tokens: plus(one.cache_read_tokens, two.cache_read_tokens),
    }),
  };
}

function plus(one: number | undefined, two: number | undefined): number | undefined {
  return one === undefined ? two : one + (two ?? 0);
}
