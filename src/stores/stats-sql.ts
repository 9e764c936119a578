import { rowFilters } from '../contract/row-filters.ts';
import type { Database, Statement } from './database.ts';
import { select } from './filter-sql.ts';
import { columnInRuns, plainText } from './rows.ts';
import type { Grouping, RunFilter } from './run-store.ts';
import { type Offset, type Period, periods } from '../time/zone.ts';

export interface StatsQuery {
  groupings: readonly Grouping[];
  filter: RunFilter;
  /** What a run used counts when it used it, as far as that is known (`seriesSql`); else when it began. */
  inParts: boolean;
  /** The offsets of the time zone in which days begin. */
  offsets: readonly Offset[];
}

/** All runs except those that ended before an agent was called, because of a typo in a flag or a name. The most common case is checked first. */
const wasStarted =
  "(r.input_tokens is not null or coalesce(r.turns, 0) <> 0 or r.class is null or r.class not in ('config', 'input'))";

/** Databases differ in where they put what has no value: here it comes last. */
const inOrder = '1 nulls last, 2 nulls last';

export function isTime(grouping: Grouping): grouping is Period {
  return periods.some((each) => each === grouping);
}

export function isInTime(groupings: readonly Grouping[]): boolean {
  return groupings.some(isTime);
}

/** Totals by group. A run with several models counts for each of them, with that model's usage; the same goes for tools. */
export function statsSql(database: Database, query: StatsQuery): Statement {
  const { group, subgroup, used, whole, calls, took, source, values, isSplit } = parts(database, query);
  const inTime = query.groupings.length > 1 || isInTime(query.groupings);
  // Everything but what was used counts when the run began.
  const once = (what: string, condition?: string): string =>
    condition === undefined ? what : `${what} filter (where ${condition})`;
  const cost = whole('cost');
  return {
    sql: `select ${group} as "group", ${subgroup} as subgroup, ${once('count(*)')} as runs,
      ${once('count(*)', "r.status = 'running'")} as running,
      ${once('count(*)', "r.status = 'success'")} as succeeded,
      sum(${used('cost')}) as cost, ${once(`count(${cost})`)} as cost_known,
      ${once('count(*)', `${cost} is null and r.status <> 'running'`)} as unpriced,
      ${once(`count(${cost})`, `r.cost_is is not null${isSplit ? ' and u.run is null' : ''}`)} as cost_at_least,
      sum(${used('input_tokens')}) as input_tokens, sum(${used('output_tokens')}) as output_tokens,
      sum(${used('cache_read_tokens')}) as cache_read_tokens,
      ${once(`sum(${took})`)} as duration_ms, ${once(`count(${took})`)} as duration_known, ${once(`max(${took})`)} as longest_ms,
      count(r.claims_checked) as claims_known, sum(r.claims_checked) as claims_checked, sum(r.claims_contradicted) as claims_contradicted,
      ${once(`sum(${calls})`)} as tool_calls, min(r.started_at) as first_started_at, max(r.started_at) as last_started_at
      ${source} group by 1, 2 having count(*) > 0 order by ${inTime ? inOrder : `3 desc, ${inOrder}`}`,
    values,
  };
}

/** Percentiles for each group, by nearest rank, so that each is a value that really occurred. */
export function percentilesSql(database: Database, query: StatsQuery, column: 'duration' | 'cost'): Statement {
  const { group, subgroup, used, took, source, values } = parts(database, query);
  const value = column === 'cost' ? used('cost') : took;
  const at = (percent: number): string =>
    `max(case when place = (n * ${percent} + 99) / 100 then v end) as ${column}_p${percent}`;
  return {
    sql: `select a, b, ${[50, 90, 99].map(at).join(', ')} from (
      select ${group} as a, ${subgroup} as b, ${value} as v,
        row_number() over (partition by ${group}, ${subgroup} order by ${value}) as place,
        count(*) over (partition by ${group}, ${subgroup}) as n
      ${source} and ${value} is not null) ranked group by a, b`,
    values,
  };
}

interface Parts {
  group: string;
  subgroup: string;
  /** What was used of the run in this row, and in the whole run. */
  used: (column: string) => string;
  whole: (column: string) => string;
  calls: string;
  took: string;
  /** Whether a series `u` counts instead of the run that has one. */
  isSplit: boolean;
  /** The `from` and `where` clauses. */
  source: string;
  values: Statement['values'];
}

function parts(
  database: Database,
  { groupings, filter, offsets, inParts }: StatsQuery,
  joins: readonly string[] = [],
): Parts {
  const { from, where, values } = select(database, filter, [{ sql: wasStarted, values: [] }]);
  // Which model or tool used what at which time is not kept.
  const isSplit = inParts && !groupings.includes('tool');
  const at = 'r.started_at';
  const [first, second] = groupings.map((grouping, index) =>
    groupOf(database, grouping, { local: localTime(at, offsets), offset: offsetAt(at, offsets) }, `g${index}`),
  );
  const none = 'cast(null as text)';
  const joined = [first, second].filter((each) => each !== undefined);
  const used = joined.find((each) => each.used !== undefined)?.used ?? ((column, inRun) => inRun(column));
  return {
    group: first?.group ?? none,
    subgroup: second?.group ?? none,
    isSplit,
    used: (column) => used(column, isSplit ? ofWhole : own),
    whole: (column) => used(column, own),
    calls: joined.find(({ calls }) => calls !== undefined)?.calls ?? 'r.tool_calls',
    took: joined.find(({ took }) => took !== undefined)?.took ?? 'r.duration_ms',
    source: [
      from,
      ...joined.map(({ join = '' }) => join),
      ...(isSplit ? [`left ${seriesOf(database, groupings)}`] : joins),
      where,
    ].join(' '),
    values: [...joined.flatMap(({ joinValues = [] }) => joinValues), ...values],
  };
}

const own = (column: string): string => `r.${column}`;
/** What a run with a series used is in its parts. */
const ofWhole = (column: string): string => `case when u.run is null then r.${column} end`;

/** The series of the runs that have one. Which of several models used what at which time is not kept. */
function seriesOf({ prefix }: Database, groupings: readonly Grouping[]): string {
  const ofSeveralModels = groupings.includes('model')
    ? `and not exists (select 1 from ${prefix}usage several where several.run = r.id)`
    : '';
  return `join ${prefix}usage_series u on u.run = r.id and r.status <> 'running' ${ofSeveralModels}`;
}

/** The series of the runs after one, each with the groups of its run; at most so many. */
export function seriesSql(database: Database, query: StatsQuery, after: string, limit: number): Statement {
  const { group, subgroup, source, values } = parts(database, { ...query, inParts: false }, [
    seriesOf(database, query.groupings),
  ]);
  return {
    sql: `select r.id, r.started_at, r.cost_is, ${group} as "group", ${subgroup} as subgroup, u.parts ${source} and r.id > ? order by r.id limit ?`,
    values: [...values, after, limit],
  };
}

interface Group {
  group: string;
  join?: string;
  joinValues?: string[];
  used?: (column: string, inRun: (column: string) => string) => string;
  calls?: string;
  took?: string;
}

/** Expressions for the time that counts, by the clocks of the time zone, and for how far those are ahead. */
interface Time {
  local: string;
  offset: string;
}

function groupOf({ prefix, kind }: Database, grouping: Grouping, { local, offset }: Time, alias: string): Group {
  if (typeof grouping === 'object') {
    const join = `left join ${prefix}labels ${alias} on ${alias}.run = r.id and ${alias}.key = ?`;
    return { group: `${alias}.value`, join, joinValues: [plainText(grouping.label)] };
  }
  switch (grouping) {
    case 'all':
      return { group: 'cast(null as text)' };
    case 'hour':
      // When it began: where clocks are put back, an hour comes twice.
      return { group: `(${local} - ${local} % 3600000 - ${offset})` };
    case 'day':
      return { group: `${local} / 86400000` };
    case 'week':
      // The first of January 1970 was a Thursday.
      return { group: `(${local} / 86400000 + 3) / 7` };
    case 'month':
      // Its first day.
      return {
        group:
          kind === 'sqlite'
            ? `unixepoch(${local} / 1000, 'unixepoch', 'start of month') / 86400`
            : `cast(extract(epoch from date_trunc('month', to_timestamp(${local} / 1000) at time zone 'UTC')) as bigint) / 86400`,
      };
    case 'agent':
      return { group: "case when r.agent = 'builtin' then 'runwire' else r.agent end" };
    case 'tool':
      return {
        group: `${alias}.name`,
        join: `join ${prefix}tools ${alias} on ${alias}.run = r.id`,
        // The cost of a single tool is not known.
        used: () => 'cast(null as real)',
        calls: `${alias}.calls`,
        took: `${alias}.duration_ms`,
      };
    case 'model':
      return {
        group: `case when ${alias}.run is null then r.model else nullif(${alias}.model, '') end`,
        join: `left join ${prefix}usage ${alias} on ${alias}.run = r.id`,
        used: (column, inRun) => `case when ${alias}.run is null then ${inRun(column)} else ${alias}.${column} end`,
      };
    default:
      return { group: columnInRuns(rowFilters[grouping].of) };
  }
}

function localTime(at: string, offsets: readonly Offset[]): string {
  // Exactly the expression in PostgreSQL's statistics: the number of days decides how it groups by them.
  return offsets.length === 0 ? at : `(${at} + ${offsetAt(at, offsets)})`;
}

function offsetAt(at: string, offsets: readonly Offset[]): string {
  const last = offsets.at(-1)?.ms ?? 0;
  const earlier = offsets.slice(0, -1).map(({ until, ms }) => `when ${at} < ${until} then ${ms}`);
  return earlier.length === 0 ? `${last}` : `case ${earlier.join(' ')} else ${last} end`;
}
