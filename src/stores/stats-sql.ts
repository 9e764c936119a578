import { rowFilters } from '../contract/row-filters.ts';
import type { Database, Statement } from './database.ts';
import { select } from './filter-sql.ts';
import { columnInRuns, plainText } from './rows.ts';
import type { Grouping, RunFilter } from './run-store.ts';
import type { Offset } from '../time/zone.ts';

export interface StatsQuery {
  groupings: readonly Grouping[];
  filter: RunFilter;
  /** The offsets of the time zone in which days begin. */
  offsets: readonly Offset[];
}

/** All runs except those that ended before an agent was called, because of a typo in a flag or a name. The most common case is checked first. */
const wasStarted =
  "(r.input_tokens is not null or coalesce(r.turns, 0) <> 0 or r.class is null or r.class not in ('config', 'input'))";

/** Databases differ in where they put what has no value: here it comes last. */
const inOrder = '1 nulls last, 2 nulls last';

/** Totals by group. A run with several models counts for each of them, with that model's usage; the same goes for tools. */
export function statsSql(database: Database, query: StatsQuery): Statement {
  const { group, subgroup, used, calls, took, source, values } = parts(database, query);
  const inTime = query.groupings.length > 1 || ['day', 'week', 'month'].some((each) => each === query.groupings[0]);
  return {
    sql: `select ${group} as "group", ${subgroup} as subgroup, count(*) as runs,
      count(*) filter (where r.status = 'running') as running,
      count(*) filter (where r.status = 'success') as succeeded,
      sum(${used('cost')}) as cost, count(${used('cost')}) as cost_known,
      count(*) filter (where ${used('cost')} is null and r.status <> 'running') as unpriced,
      count(${used('cost')}) filter (where r.cost_is is not null) as cost_at_least,
      sum(${used('input_tokens')}) as input_tokens, sum(${used('output_tokens')}) as output_tokens,
      sum(${used('cache_read_tokens')}) as cache_read_tokens,
      sum(${took}) as duration_ms, count(${took}) as duration_known, max(${took}) as longest_ms,
      sum(${calls}) as tool_calls, min(r.started_at) as first_started_at, max(r.started_at) as last_started_at
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
  used: (column: string) => string;
  calls: string;
  took: string;
  /** The `from` and `where` clauses. */
  source: string;
  values: Statement['values'];
}

function parts(database: Database, { groupings, filter, offsets }: StatsQuery): Parts {
  const { from, where, values } = select(database, filter, [{ sql: wasStarted, values: [] }]);
  const [first, second] = groupings.map((grouping, index) => groupOf(database, grouping, offsets, `g${index}`));
  const none = 'cast(null as text)';
  const joined = [first, second].filter((each) => each !== undefined);
  return {
    group: first?.group ?? none,
    subgroup: second?.group ?? none,
    used: joined.find(({ used }) => used !== undefined)?.used ?? own,
    calls: joined.find(({ calls }) => calls !== undefined)?.calls ?? 'r.tool_calls',
    took: joined.find(({ took }) => took !== undefined)?.took ?? 'r.duration_ms',
    source: `${from} ${joined.map(({ join = '' }) => join).join(' ')} ${where}`,
    values: [...joined.flatMap(({ joinValues = [] }) => joinValues), ...values],
  };
}

const own = (column: string): string => `r.${column}`;

interface Group {
  group: string;
  join?: string;
  joinValues?: string[];
  used?: (column: string) => string;
  calls?: string;
  took?: string;
}

function groupOf({ prefix, kind }: Database, grouping: Grouping, offsets: readonly Offset[], alias: string): Group {
  if (typeof grouping === 'object') {
    const join = `left join ${prefix}labels ${alias} on ${alias}.run = r.id and ${alias}.key = ?`;
    return { group: `${alias}.value`, join, joinValues: [plainText(grouping.label)] };
  }
  const local = localTime(offsets);
  switch (grouping) {
    case 'all':
      return { group: 'cast(null as text)' };
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
        used: (column) => `case when ${alias}.run is null then r.${column} else ${alias}.${column} end`,
      };
    default:
      return { group: columnInRuns(rowFilters[grouping].of) };
  }
}

function localTime(offsets: readonly Offset[]): string {
  // Exactly the expression in PostgreSQL's statistics: the number of days decides how it groups by them.
  if (offsets.length === 0) return 'r.started_at';
  const last = offsets.at(-1)?.ms ?? 0;
  const earlier = offsets.slice(0, -1).map(({ until, ms }) => `when r.started_at < ${until} then ${ms}`);
  return earlier.length === 0
    ? `(r.started_at + ${last})`
    : `(r.started_at + case ${earlier.join(' ')} else ${last} end)`;
}
