import { type Period, periodStart, type Zone } from '../time/zone.ts';
import type { Row } from './database.ts';
import type { Grouping } from './run-store.ts';
import { isTime } from './stats-sql.ts';
import { unpackSeries } from './usage-series.ts';

const summed = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cost'] as const;
/** In a time in which no run began, but one used something. */
const noRun = {
  runs: 0,
  running: 0,
  succeeded: 0,
  cost_known: 0,
  unpriced: 0,
  cost_at_least: 0,
  duration_known: 0,
  claims_known: 0,
  tool_calls: 0,
};
const dayMs = 86_400_000;

type Sums = Record<string, unknown>;

/** Statistics by time, with what each run used at the times at which it did. */
export class SeriesSums {
  readonly #groupings: readonly Grouping[];
  readonly #zone: Zone;
  readonly #rows = new Map<string, Sums>();
  #hasNew = false;

  constructor(rows: readonly Row[], groupings: readonly Grouping[], zone: Zone) {
    this.#groupings = groupings;
    this.#zone = zone;
    for (const row of rows) this.#rows.set(this.#keyOf([row['group'], row['subgroup']]), { ...row });
  }

  add({ group, subgroup, started_at: started, cost_is: bound, parts }: Row): void {
    if (!(parts instanceof Uint8Array)) return;
    const names = [group, subgroup];
    const bounded = new Set<Sums>();
    for (const part of unpackSeries(parts)) {
      const groups = names.map((name, index) => {
        const grouping = this.#groupings[index];
        return grouping !== undefined && isTime(grouping) ? this.#placeOf(part.at, grouping) : (name ?? null);
      });
      const row = this.#rowOf(groups);
      for (const column of summed) {
        const value = part[column];
        if (value !== undefined) row[column] = Number(row[column] ?? 0) + value;
      }
      const at = Number(started);
      row['first_started_at'] = Math.min(Number(row['first_started_at'] ?? at), at);
      row['last_started_at'] = Math.max(Number(row['last_started_at'] ?? at), at);
      if (typeof bound === 'string' && part.cost !== undefined) bounded.add(row);
    }
    for (const row of bounded) row['cost_at_least'] = Number(row['cost_at_least']) + 1;
  }

  /** In the order of the database. */
  rows(): readonly Row[] {
    const rows = [...this.#rows.values()];
    return this.#hasNew
      ? rows.toSorted((a, b) => order(a['group'], b['group']) || order(a['subgroup'], b['subgroup']))
      : rows;
  }

  #rowOf(groups: readonly unknown[]): Sums {
    const key = this.#keyOf(groups);
    let row = this.#rows.get(key);
    if (row === undefined) {
      const [group, subgroup] = groups;
      this.#hasNew = true;
      this.#rows.set(key, (row = { group, subgroup, ...noRun }));
    }
    return row;
  }

  #keyOf(groups: readonly unknown[]): string {
    return JSON.stringify(groups.map((each) => (each === null || each === undefined ? null : String(each))));
  }

  /** As `groupOf` of stats-sql has it. */
  #placeOf(at: number, grouping: Period): number {
    const offset = this.#zone.offsetAt(at);
    const start = periodStart(at + offset, grouping);
    if (grouping === 'hour') return start - offset;
    return grouping === 'week' ? (start / dayMs + 3) / 7 : start / dayMs;
  }
}

/** What has no value comes last. */
function order(a: unknown, b: unknown): number {
  const [left, right] = [a ?? null, b ?? null];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === 'number' || typeof right === 'number') return Number(left) - Number(right);
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
}
