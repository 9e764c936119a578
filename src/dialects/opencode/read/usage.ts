import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { type Habit, readUsage } from '../../shared/opencode/read/usage.ts';
import type { Tokens } from '../../kit/tokens.ts';
import type { Lane } from './lane.ts';

/** `callInput`: set where this adds to a model call that was reported before. */
export function reportStep(sink: DecoderSink, model: string | undefined, counts: Tokens, callInput?: number): void {
  sink.emit({ type: 'usage.reported', scope: 'step', ...present({ model, call_input_tokens: callInput }), ...counts });
}

/** The tokens of a message that had no steps to report them, or what a later update adds. */
export function reportMessage(sink: DecoderSink, lane: Lane, habit: Habit): void {
  if (lane.reported === true) return;
  const counts = readUsage(lane.tokens, lane.cost, habit);
  if (counts === undefined) return;
  const before = lane.reported;
  const more = before === undefined ? counts : moreThan(before, counts);
  lane.reported = counts;
  if (more !== undefined) reportStep(sink, lane.model, more, before === undefined ? undefined : counts.input_tokens);
}

const fields = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
] as const;

/** What a later count adds to an earlier one; undefined when it adds nothing. */
function moreThan(before: Tokens, now: Tokens): Tokens | undefined {
  const more: Tokens = {};
  for (const field of fields) {
    const value = (now[field] ?? 0) - (before[field] ?? 0);
    if (value < 0) return undefined;
    if (value > 0) more[field] = value;
  }
  return Object.keys(more).length === 0 ? undefined : more;
}
