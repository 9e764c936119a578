import type { Change, Fields } from './field.ts';
import { limitFields } from './request.ts';
import type { EventOf } from '../events/event.ts';

type Changeable = {
  [Name in keyof typeof limitFields]: (typeof limitFields)[Name] extends { readonly change: Change } ? Name : never;
}[keyof typeof limitFields];
/** Limits that can be changed while a run is going on. */
export const changeable = Object.entries<Fields[string]>(limitFields).flatMap(([name, { change }]) =>
  change === undefined ? [] : [name as Changeable],
);
/** The same, as the page asks for them. */
export const changeableLimits: readonly (Change & { name: Changeable })[] = changeable.map((name) => ({
  name,
  ...limitFields[name].change,
}));
export type LimitOrder = { [Name in Changeable]?: number };

/** What can be asked of a run that is going on. */
export type Order = { do: 'pause' } | { do: 'resume' } | { do: 'limit'; limits: LimitOrder };

/** The same, with who asks. */
export type RunOrder = Order & { by: string };

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
