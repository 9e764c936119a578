import type { Limits } from './spec.ts';
import { limitFields } from './request.ts';
import type { EventOf } from '../events/event.ts';

/** Limits that can be changed while a run is going on. */
export const changeable = [
  'max_turns',
  'max_repeats',
  'max_cost_usd',
  'max_tokens',
  'timeout_ms',
  'idle_timeout_ms',
] as const satisfies readonly (keyof Limits)[];
type Changeable = (typeof changeable)[number];
export type LimitOrder = { [Name in Changeable]?: number };

/** What a person asks of a run that is going on. */
export type RunOrder =
  | { do: 'pause'; by: string }
  | { do: 'resume'; by: string }
  | { do: 'limit'; by: string; limits: LimitOrder };

export function limitsIn(
  order: LimitOrder,
): { name: Changeable; limit: EventOf<'limit.changed'>['limit']; value: number }[] {
  return changeable.flatMap((name) => {
    const value = order[name];
    return value === undefined ? [] : [{ name, limit: limitFields[name].limit, value }];
  });
}

/** As `limit.reached` tells it: times in seconds. */
export function maximumOf(name: Changeable, value: number): number {
  return name.endsWith('_ms') ? value / 1000 : value;
}
