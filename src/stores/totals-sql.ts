import type { Database, Row } from './database.ts';
import type { Totals } from './run-store.ts';

const names = ['runs', 'running', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cost', 'cost_known'] as const;
const summed = names.map((name) => `sum(${name}) as ${name}`).join(', ');
/** Money is kept in billionths of a dollar: sums of whole numbers are exact, so that what is taken away again leaves nothing. */
const perDollar = 1e9;

/** The totals that the database keeps itself, by triggers: reading them costs the same for ten runs and for a million. */
export function totalsSql({ prefix }: Database): string {
  return `select class, ${summed} from ${prefix}totals group by class having sum(runs) <> 0 order by class`;
}

/** The classes whose kept totals are not those of the runs, as one statement sees both. */
export function wrongTotalsSql({ prefix }: Database): string {
  const side = (table: string): string =>
    `(select class, ${summed} from ${prefix}${table} group by class having sum(runs) <> 0)`;
  return `select coalesce(k.class, c.class) as class from ${side('totals')} k full join ${side('run_figures')} c on c.class = k.class
    where ${names.map((name) => `k.${name} is distinct from c.${name}`).join(' or ')} order by 1`;
}

export function totalsOf(row: Row): Totals {
  const figures = Object.fromEntries(names.map((name) => [name, Number(row[name])])) as unknown as Omit<
    Totals,
    'class'
  >;
  return {
    ...(row['class'] === '' ? {} : { class: String(row['class']) }),
    ...figures,
    cost: figures.cost / perDollar,
  };
}
