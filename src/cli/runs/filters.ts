import { resolve } from 'node:path';
import { filterOf, filterOptions, type RunFilter } from '../../contract/row-filters.ts';
import type { Values } from '../command.ts';
import type { Context } from '../context.ts';

export { filterOptions };

export function readFilter(values: Values<typeof filterOptions>, context: Context): RunFilter {
  const given: Readonly<Record<string, string | readonly string[] | undefined>> = values;
  return filterOf(
    ({ flag, filter }) => {
      const value = given[flag.name];
      return filter.isPath && typeof value === 'object' ? value.map((path) => resolve(context.cwd, path)) : value;
    },
    ({ flag }) => `--${flag.name}`,
    context.now(),
  );
}
