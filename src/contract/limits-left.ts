import type { Fields, Used } from './field.ts';
import { limitFields } from './request.ts';
import type { Limits } from './spec.ts';

const table: Fields = limitFields;

type Left = Partial<Record<keyof Limits, number>>;

/** What is left of the limits of a run that has used so much; it may be less than nothing. Limits on what is not in `used` are left out. */
export function limitsLeft(limits: Limits, used: Partial<Used>): Left {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, limit]) => {
      const uses = table[name]?.uses;
      const spent = uses === undefined ? undefined : used[uses];
      return spent === undefined || limit === undefined ? [] : [[name, limit - spent]];
    }),
  );
}

/** The same for a run that starts once more: with the smallest limit that there is where nothing is left, since none is no limit. */
export function limitsToGoOn(limits: Limits, used: Partial<Used>): Left {
  const left = Object.entries(limitsLeft(limits, used)).map(([name, rest]) => {
    const least = table[name]?.uses === 'cost' ? 1e-9 : 1;
    return [name, Math.max(least, rest)] as const;
  });
  return Object.fromEntries(left);
}

/** The limits that each agent of a crew has for itself. */
export function limitsOfEach(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([name]) => table[name]?.isForEach === true));
}
