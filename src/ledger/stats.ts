import { Failure } from '../failure.ts';
import { present } from '../present.ts';
import type { Grouping, RunFilter, RunStore, StatsRow } from '../stores/run-store.ts';

/** A row of the store with what it is about, and the shares that follow from it. */
export interface Stats extends StatsRow {
  by: string;
  /** Of the runs that have ended; absent: none has. */
  success_rate?: number;
  mean_duration_ms?: number;
}

export const groupings = ['agent', 'model', 'day', 'status', 'class', 'all'] as const;

/** `name`: how the question is called where it was asked. */
export function groupingOf(name: string, text: string): Grouping {
  const label = /^label[:=](.+)$/.exec(text)?.[1];
  if (label !== undefined) return { label };
  const known = groupings.find((each) => each === text);
  if (known === undefined) throw new Failure('input', `${name} ${text}: expected ${groupings.join(', ')}, or label:KEY`);
  return known;
}

/** Totals by group; each run counts for itself alone. */
export async function statsBy(store: RunStore, grouping: Grouping, filter: RunFilter): Promise<Stats[]> {
  const by = typeof grouping === 'string' ? grouping : `label:${grouping.label}`;
  return (await store.stats(grouping, filter)).map((row) => ({ by, ...row, ...sharesOf(row) }));
}

function sharesOf({ runs, running, succeeded, duration_ms, duration_known }: StatsRow): Pick<Stats, 'success_rate' | 'mean_duration_ms'> {
  const ended = runs - running;
  return present({
    success_rate: ended === 0 ? undefined : succeeded / ended,
    mean_duration_ms: duration_ms === undefined || duration_known === 0 ? undefined : duration_ms / duration_known,
  });
}
