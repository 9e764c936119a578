import type { Database, Statement } from './database.ts';
import { select } from './filter-sql.ts';
import { plainText } from './rows.ts';
import type { Grouping, RunFilter } from './run-store.ts';

/** Totals by group. A run of several models counts for each of them, with what that model used. */
export function statsSql(database: Database, grouping: Grouping, filter: RunFilter): Statement {
  const { from, where, values } = select(database, filter);
  const { group, join, joinValues, used } = groupOf(database, grouping);
  return {
    sql: `select ${group} as "group", count(*) as runs,
      sum(case when r.status = 'running' then 1 else 0 end) as running,
      sum(case when r.status = 'success' then 1 else 0 end) as succeeded,
      sum(${used('cost')}) as cost, count(${used('cost')}) as cost_known,
      sum(${used('input_tokens')}) as input_tokens, sum(${used('output_tokens')}) as output_tokens,
      sum(${used('cache_read_tokens')}) as cache_read_tokens,
      sum(r.duration_ms) as duration_ms, count(r.duration_ms) as duration_known, max(r.duration_ms) as longest_ms,
      sum(r.tool_calls) as tool_calls, min(r.started_at) as first_started_at, max(r.started_at) as last_started_at
      ${from} ${join} ${where} group by 1 having count(*) > 0 order by ${grouping === 'day' ? '1' : '2 desc, 1'}`,
    values: [...joinValues, ...values],
  };
}

interface Group {
  group: string;
  join: string;
  joinValues: string[];
  used: (column: string) => string;
}

function groupOf({ prefix }: Database, grouping: Grouping): Group {
  const own = { join: '', joinValues: [], used: (column: string) => `r.${column}` };
  if (typeof grouping === 'object') {
    const join = `left join ${prefix}labels g on g.run = r.id and g.key = ?`;
    return { ...own, group: 'g.value', join, joinValues: [plainText(grouping.label)] };
  }
  switch (grouping) {
    case 'all':
      return { ...own, group: 'cast(null as text)' };
    case 'day':
      return { ...own, group: 'r.started_at / 86400000' };
    case 'model':
      return {
        ...own,
        group: "case when u.run is null then r.model else nullif(u.model, '') end",
        join: `left join ${prefix}usage u on u.run = r.id`,
        used: (column) => `case when u.run is null then r.${column} else u.${column} end`,
      };
    default:
      return { ...own, group: `r.${grouping}` };
  }
}
