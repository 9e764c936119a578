import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json } from '../../../json/json.ts';
import { count, isObject, object } from '../../../json/read.ts';

type Tokens = Pick<EventOf<'usage.reported'>, 'input_tokens' | 'output_tokens' | 'cache_read_tokens'>;

/** Lines without the provider's final count have zeros: unknown, not none. */
export function readUsage(value: Json | undefined): Tokens | undefined {
  const wire = object(value);
  const input = count(wire.input_tokens);
  const output = count(wire.output_tokens);
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return undefined;
  const total = count(wire.total_tokens) ?? 0;
  // Some providers count thoughts apart from the answer, and only in the total.
  const thoughts = Math.max(0, total - (input ?? 0) - (output ?? 0));
  return present({
    input_tokens: input,
    output_tokens: output === undefined ? undefined : output + thoughts,
    cache_read_tokens: count(wire.cache_read_input_tokens),
  });
}

/** The `stats.models` of json mode: totals of the process for each model, thoughts included. */
export function readModelUsage(models: Json | undefined, sink: DecoderSink): boolean {
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
      ...present({ reasoning_tokens: thoughts, cache_read_tokens: count(tokens.cached) }),
    });
  }
  return isKnown;
}
