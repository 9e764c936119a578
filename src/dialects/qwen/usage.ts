import type { EventOf } from '../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { compact, count, isObject, object } from '../read.ts';

type Tokens = Pick<EventOf<'usage.reported'>, 'input_tokens' | 'output_tokens' | 'cache_read_tokens'>;

/** Lines that do not hold the provider's last word have zeros: unknown, not none. */
export function readUsage(value: Json | undefined): Tokens | undefined {
  const wire = object(value);
  const input = count(wire.input_tokens);
  const output = count(wire.output_tokens);
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return undefined;
  const total = count(wire.total_tokens) ?? 0;
  // Some providers count thoughts apart from the answer and only in the total.
  const thoughts = Math.max(0, total - (input ?? 0) - (output ?? 0));
  return compact({
    input_tokens: input,
    output_tokens: output === undefined ? undefined : output + thoughts,
    cache_read_tokens: count(wire.cache_read_input_tokens),
  });
}

/** The `stats.models` of json mode: totals of the process for each model, thoughts included. */
export function modelUsage(models: Json | undefined, sink: DecoderSink): boolean {
  let isKnown = false;
  if (!isObject(models)) return false;
  for (const [model, stats] of Object.entries(models)) {
    const tokens = object(object(stats).tokens);
    const input = count(tokens.prompt);
    const candidates = count(tokens.candidates);
    if (input === undefined || candidates === undefined || input + candidates === 0) continue;
    const thoughts = count(tokens.thoughts);
    const isApart = (count(tokens.total) ?? 0) >= input + candidates + (thoughts ?? 0);
    isKnown = true;
    sink.emit({
      type: 'usage.reported',
      scope: 'thread',
      whole_session: true,
      model,
      input_tokens: input,
      output_tokens: candidates + (isApart ? (thoughts ?? 0) : 0),
      ...compact({ reasoning_tokens: thoughts, cache_read_tokens: count(tokens.cached) }),
    });
  }
  return isKnown;
}

export function wireUsage(tokens: Tokens): JsonObject {
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
