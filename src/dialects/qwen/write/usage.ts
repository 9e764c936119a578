import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';

type Tokens = Pick<EventOf<'usage.reported'>, 'input_tokens' | 'output_tokens' | 'cache_read_tokens'>;

export function writeUsage(tokens: Tokens): JsonObject {
  const input = tokens.input_tokens ?? 0;
  const output = tokens.output_tokens ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    ...(tokens.cache_read_tokens === undefined ? {} : { cache_read_input_tokens: tokens.cache_read_tokens }),
    ...(input + output === 0 ? {} : { total_tokens: input + output }),
  };
}

function plus(one: number | undefined, two: number | undefined): number | undefined {
  return one === undefined ? two : one + (two ?? 0);
}

export function addUsage(one: EventOf<'usage.reported'>, two: EventOf<'usage.reported'>): EventOf<'usage.reported'> {
  return {
    ...one,
    ...compact({
      input_tokens: plus(one.input_tokens, two.input_tokens),
      output_tokens: plus(one.output_tokens, two.output_tokens),
      cache_read_tokens: plus(one.cache_read_tokens, two.cache_read_tokens),
    }),
  };
}
