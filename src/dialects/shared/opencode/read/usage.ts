import type { Json, JsonObject } from '../../../../json/json.ts';
import { count, object } from '../../../../json/read.ts';
import type { Tokens } from '../../../kit/tokens.ts';

/**
 * How a version counts: whether `input` already includes the cached tokens, and `output` the reasoning.
 * Up to 1.0 both do; from 1.1 the input does not; from 1.4 neither does.
 */
export interface Habit {
  inputHoldsCache: boolean;
  outputHoldsReasoning: boolean;
}
export const inclusive: Habit = { inputHoldsCache: true, outputHoldsReasoning: true };
export const exclusive: Habit = { inputHoldsCache: false, outputHoldsReasoning: false };

export function habitOf(version: string | undefined): Habit {
  const numbers = /^(\d+)\.(\d+)/.exec(version ?? '');
  if (numbers === null) return inclusive;
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  return {
    inputHoldsCache: major < 1 || (major === 1 && minor < 1),
    outputHoldsReasoning: major < 1 || (major === 1 && minor < 4),
  };
}

/** Tokens of one model call, with the cache in the input and reasoning in the output; undefined if there are neither tokens nor a cost. */
export function readUsage(tokens: JsonObject, cost: Json | undefined, habit: Habit): Tokens | undefined {
  const input = count(tokens.input) ?? 0;
  const output = count(tokens.output) ?? 0;
  const reasoning = count(tokens.reasoning) ?? 0;
  const read = count(object(tokens.cache).read) ?? 0;
  const write = count(object(tokens.cache).write) ?? 0;
  const usd = count(cost);
  // A model without a known price is listed here at 0, which is not what it costs.
  const price = usd === undefined || usd === 0 ? {} : { cost_usd: usd };
  if (input + output + reasoning + read + write === 0) return usd === undefined || usd === 0 ? undefined : price;
  const { inputHoldsCache, outputHoldsReasoning } = countedBy(
    count(tokens.total),
    { input, output, reasoning, cache: read + write },
    habit,
  );
  return {
    input_tokens: inputHoldsCache ? input : input + read + write,
    output_tokens: outputHoldsReasoning ? output : output + reasoning,
    reasoning_tokens: reasoning,
    cache_read_tokens: read,
    cache_write_tokens: write,
    ...price,
  };
}

/** The provider's own total reveals how a version counts; so does a part that is larger than its whole. */
function countedBy(
  total: number | undefined,
  of: { input: number; output: number; reasoning: number; cache: number },
  habit: Habit,
): Habit {
  if (total !== undefined) {
    if (total === of.input + of.output + of.reasoning + of.cache) return exclusive;
    if (total === of.input + of.output + of.cache) return { inputHoldsCache: false, outputHoldsReasoning: true };
    if (total === of.input + of.output) return inclusive;
    if (total === of.input + of.output + of.reasoning) return { inputHoldsCache: true, outputHoldsReasoning: false };
    return exclusive;
  }
  return {
    inputHoldsCache: habit.inputHoldsCache && of.cache <= of.input,
    outputHoldsReasoning: habit.outputHoldsReasoning && of.reasoning <= of.output,
  };
}
