import type { Route } from '../../wire/route.ts';
import { NotPointed, type Pointed } from './pointing.ts';

/** A provider of models that can be pointed. */
export interface Provider {
  route: Route;
  keys: Pointed['keys'];
}

/**
 * The provider that is used, and all others whose key can be held, because sub-agents and side requests may use them. The first must be
 * found; what is wrong with another one leaves it out.
 */
export function withOthers<Found extends Provider>(
  used: string,
  names: readonly string[],
  find: (name: string) => Found,
): Found[] {
  const others = names.filter((name) => name !== used).flatMap((name) => orNothing(() => find(name)));
  return [find(used), ...others.filter(({ keys, route }) => keys === 'held' && route.key !== undefined)];
}

function orNothing<Found>(find: () => Found): Found[] {
  try {
    return [find()];
  } catch (error) {
    if (error instanceof NotPointed) return [];
    throw error;
  }
}
