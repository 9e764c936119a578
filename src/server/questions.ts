import type { Context } from 'hono';
import { filterOf, type RunFilter } from '../contract/row-filters.ts';
import { findRun, withWholeIds } from '../ledger/find.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { RunRecord } from '../stores/run-store.ts';
import { Problem } from './problem.ts';

/** The validated filter of a request. */
export async function requestedFilter(context: Context, ledger: Ledger, now: number): Promise<RunFilter> {
  const { req } = context;
  const filter = filterOf(
    ({ flag, query }) => (flag.multiple === true ? filled(req.queries(query)) : req.query(query) || undefined),
    ({ query }) => query,
    now,
  );
  return withWholeIds(ledger.store, filter, (word) => namedRun(ledger, word));
}

function filled(values: readonly string[] | undefined): string[] | undefined {
  const given = values?.filter((value) => value !== '') ?? [];
  return given.length === 0 ? undefined : given;
}

/** The run named in a path: a full id, the beginning of a short one, or `last`. */
export async function namedRun({ store }: Ledger, word = ''): Promise<RunRecord> {
  // Nothing else can be an id, so nothing else is looked up.
  const found = /^[0-9a-z]{1,26}$/.test(word) ? await findRun(store, word) : undefined;
  if (found?.kind === 'run') return found.run;
  if (found?.kind === 'ambiguous')
    throw new Problem(
      'conflict',
      `ambiguous id "${word}": it may be ${found.ids.map(shortRunId).join(', ')}; give more of it`,
    );
  throw new Problem('not_found', 'there is no such run; it may have been pruned, or be in another ledger');
}
