import { groupings } from '../contract/row-filters.ts';
import { passRate } from '../expect/wilson.ts';
import { Failure } from '../failure.ts';
import { present } from '../json/present.ts';
import type { Grouping, RunFilter, RunStore, StatsOptions, StatsRow } from '../stores/run-store.ts';

/** A row of the store with its group, and the rates that follow from it. */
export interface Stats extends StatsRow {
  by: string;
  /** Among the runs that have ended; absent: none has. */
  success_rate?: number;
  /** Whether `cost` covers all runs that have ended. */
  cost_complete: boolean;
  mean_duration_ms?: number;
  /** How much of what was claimed is contradicted, and between what the share is with 95 % confidence; absent: no claim is known. */
  contradicted_rate?: number;
  contradicted_low?: number;
  contradicted_high?: number;
}

/** One grouping, or two separated by a comma. `name` is the name of the option in messages. */
export function groupingsOf(name: string, text: string): Grouping[] {
  const found = text.split(',').map((each) => groupingOf(name, each.trim()));
  if (found.length > 2) throw new Failure('input', `${name} ${text}: at most two`);
  if (found.includes('tool') && found.includes('model'))
    throw new Failure('input', `${name} ${text}: no agent reports which model called a tool`);
  return found;
}

function groupingOf(name: string, text: string): Grouping {
  const label = /^label[:=](.+)$/.exec(text)?.[1];
  if (label !== undefined) return { label };
  const known = groupings.find((each) => each === text);
  if (known === undefined)
    throw new Failure('input', `${name} ${text}: expected ${groupings.join(', ')}, or label:KEY`);
  return known;
}

/** Totals by group; each run counts only for itself. The time zone `local` is that of this process. */
export async function statsBy(
  store: RunStore,
  grouping: Grouping | readonly Grouping[],
  filter: RunFilter,
  { timeZone: zone, ...options }: StatsOptions = {},
): Promise<Stats[]> {
  const timeZone = zone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
  const by = [grouping].flat().map(groupingName).join(',');
  return (await store.stats(grouping, filter, { ...options, ...present({ timeZone }) })).map((row) => ({
    by,
    ...row,
    ...sharesOf(row),
  }));
}

function groupingName(grouping: Grouping): string {
  return typeof grouping === 'string' ? grouping : `label:${grouping.label}`;
}

type Shares = Omit<Stats, keyof StatsRow | 'by'>;

function sharesOf(row: StatsRow): Shares {
  const { runs, running, succeeded, duration_ms, duration_known, unpriced } = row;
  const { claims_checked: claims = 0, claims_contradicted: contradicted = 0 } = row;
  const ended = runs - running;
  const share = claims === 0 ? undefined : passRate(contradicted, claims);
  const shares = present({
    success_rate: ended === 0 ? undefined : succeeded / ended,
    mean_duration_ms: duration_ms === undefined || duration_known === 0 ? undefined : duration_ms / duration_known,
    contradicted_rate: share?.rate,
    contradicted_low: share?.low,
    contradicted_high: share?.high,
  });
  return { ...shares, cost_complete: unpriced === 0 };
}
