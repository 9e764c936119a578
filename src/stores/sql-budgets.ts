import { present } from '../json/present.ts';
import type { Amounts, BudgetLimits, BudgetState, BudgetStore, Period, Reservation, Taking } from './budget-store.ts';
import { periods } from './budget-store.ts';
import type { Database, Row, Statement } from './database.ts';
import { firstGrant, isRoomFor, nextGrant } from './grants.ts';
import { silenceMs } from '../processes/owner.ts';
import { optionalNumber, plainText } from './rows.ts';
import type { Attempt } from './run-store.ts';

const day = 86_400_000;
const amountKinds = ['usd', 'tokens'] as const;
/** A character that no run id contains. */
const attemptMark = '#';

/** Of a spending that is settled, what it came to. */
const settled = (column: string): string => `case when settled_at is not null then ${column} end`;

/** Budgets in the tables of the ledger: what a run spent is read from its own row, so the process that ends a run also settles it. */
export class SqlBudgets implements BudgetStore {
  readonly #database: Database;
  readonly #prefix: string;

  constructor(database: Database) {
    this.#database = database;
    this.#prefix = database.prefix;
  }

  async set({ name, usd, tokens, per }: BudgetLimits): Promise<void> {
    const limits = [optionalNumber(usd), optionalNumber(tokens), per];
    await this.#database.write([
      {
        sql: `insert into ${this.#prefix}budgets (name, usd, tokens, per) values (?, ?, ?, ?)
          on conflict (name) do update set usd = excluded.usd, tokens = excluded.tokens, per = excluded.per`,
        values: [plainText(name), ...limits],
      },
      {
        sql: `update ${this.#prefix}spendings set period = ${this.#periodOf('at', '?')} where budget = ?`,
        values: [per, per, per, plainText(name)],
      },
    ]);
  }

  async remove(name: string): Promise<boolean> {
    return this.#database.write([
      { sql: `delete from ${this.#prefix}budgets where name = ?`, values: [plainText(name)] },
    ]);
  }

  async list(): Promise<BudgetState[]> {
    const rows = await this.#database.all(this.#question('', undefined, false));
    return rows.map(stateOf);
  }

  async reserve(name: string, run: string, taking: Partial<Taking> = {}): Promise<Reservation | undefined> {
    let granted: Reservation | undefined;
    await this.#database.decide(`budget ${name}`, this.#question(run, name, taking.spent !== undefined), ([row]) => {
      if (row === undefined) return [];
      granted = grant(row, taking);
      return isRefused(granted) && row['own_at'] === null ? [] : [this.#keep(row, run, granted)];
    });
    return granted;
  }

  async settle(run: string, { usd, tokens }: Required<Amounts>): Promise<void> {
    await this.#database.write([
      {
        sql: `update ${this.#prefix}spendings set usd = ?, tokens = ?, settled_at = ${this.#database.now} where run = ?`,
        values: [usd, tokens, run],
      },
    ]);
  }

  /** What a lost attempt spent is a separate spending, since the row of the run holds the current attempt. */
  settleLost(run: string, { number, cost, tokens_used }: Pick<Attempt, 'number' | 'cost' | 'tokens_used'>): Statement {
    return {
      sql: `insert into ${this.#prefix}spendings (budget, run, period, at, usd, tokens, settled_at)
        select budget, ?, period, at, coalesce(?, ${settled('usd')}), coalesce(?, ${settled('tokens')}), ${this.#database.now}
        from ${this.#prefix}spendings where run = ? on conflict do nothing`,
      values: [`${run}${attemptMark}${number}`, optionalNumber(cost), optionalNumber(tokens_used), run],
    };
  }

  /** A run that begins again spends anew, in the period that it is now; what it spent before is a spending of its own. */
  reopen(run: string): Statement {
    const { now } = this.#database;
    const per = `(select per from ${this.#prefix}budgets where name = budget)`;
    const held = (column: string): string => `${column} = case when settled_at is null then ${column} end`;
    return {
      sql: `update ${this.#prefix}spendings set ${held('usd')}, ${held('tokens')}, settled_at = null, at = ${now}, period = ${this.#periodOf(now, per)} where run = ?`,
      values: [run],
    };
  }

  /** Records what these runs and those below them spent, before they are removed from the ledger. */
  settleBefore(ids: readonly string[]): Statement {
    const marks = ids.map(() => '?').join(', ');
    return {
      sql: `update ${this.#prefix}spendings set usd = ${this.#taken('cost', 'spendings')}, tokens = ${this.#taken('tokens', 'spendings')}, settled_at = ${this.#database.now}
        where settled_at is null and run in (select coalesce(root_run_id, id) from ${this.#prefix}runs where id in (${marks}))
          and run not in (select id from ${this.#prefix}runs where status = 'running')`,
      values: ids,
    };
  }

  #keep(row: Row, run: string, { budget, usd, tokens }: Reservation): Statement {
    const amounts = [optionalNumber(usd), optionalNumber(tokens)];
    if (row['own_at'] !== null)
      return {
        sql: `update ${this.#prefix}spendings set usd = ?, tokens = ? where budget = ? and run = ? and settled_at is null`,
        values: [...amounts, budget.name, run],
      };
    return {
      sql: `insert into ${this.#prefix}spendings (budget, run, period, at, usd, tokens) values (?, ?, ?, ?, ?, ?)`,
      values: [budget.name, run, budget.since ?? 0, Number(row['now']), ...amounts],
    };
  }

  /**
   * The state of budgets in the period of a run that spends, without the run itself; else in the present period, with what attempts
   * of the run before this one spent: until it begins, its row holds the last of them.
   */
  #question(run: string, name: string | undefined, spends: boolean): Statement {
    const p = this.#prefix;
    const { now } = this.#database;
    const own = (column: string): string =>
      `(select o.${column} from ${p}spendings o where o.budget = b.name and o.run = ?)`;
    const presentPeriod = this.#periodOf(now, 'b.per');
    // The reservation of a run that never reached the ledger expires after a while.
    const open = `s.settled_at is null and s.run <> b.asker and (r.status = 'running' or (r.id is null and s.at > ${now} - ${silenceMs}))`;
    const held = (column: string): string => `case when ${open} and s.${column} > coalesce(${spent(column)}, 0)
      then s.${column} - coalesce(${spent(column)}, 0) else 0 end`;
    const spent = (column: string): string =>
      `case when s.settled_at is not null then s.${column} else ${this.#taken(column === 'usd' ? 'cost' : 'tokens', 's')} end`;
    return {
      sql: `select name, usd, tokens, per, since, max(now) as now, own_at, count(case when run not like '%${attemptMark}%' then run end) as runs, sum(running) as running, sum(unpriced) as unpriced,
          coalesce(sum(spent_usd), 0) as spent_usd, coalesce(sum(spent_tokens), 0) as spent_tokens,
          coalesce(sum(held_usd), 0) as held_usd, coalesce(sum(held_tokens), 0) as held_tokens
        from (select b.name, b.usd, b.tokens, b.per, ${now} as now, b.since, b.own_at, s.run,
            case when ${open} then 1 else 0 end as running,
            case when s.run is not null and not (${open}) and r.id is not null and ${spent('usd')} is null then 1 else 0 end as unpriced,
            ${spent('usd')} as spent_usd, ${spent('tokens')} as spent_tokens, ${held('usd')} as held_usd, ${held('tokens')} as held_tokens
          from (select b.*, cast(? as text) as asker, ${spends ? `coalesce(${own('period')}, ${presentPeriod})` : presentPeriod} as since, ${own('at')} as own_at from ${p}budgets b
            ${name === undefined ? '' : 'where b.name = ?'}) b
          left join ${p}spendings s on s.budget = b.name and s.period = b.since${spends ? ' and s.run <> b.asker' : ''}
          left join ${p}runs r on r.id = s.run) each_run
        group by name, usd, tokens, per, since, own_at order by name`,
      values: [run, ...(spends ? [run] : []), run, ...(name === undefined ? [] : [plainText(name)])],
    };
  }

  /** What a run and those below it spent. */
  #taken(what: 'cost' | 'tokens', spendings: string): string {
    const amount = what === 'cost' ? 'c.cost' : 'coalesce(c.input_tokens, 0) + coalesce(c.output_tokens, 0)';
    return `(select sum(${amount}) from ${this.#prefix}runs c where c.id = ${spendings}.run or c.root_run_id = ${spendings}.run)`;
  }

  /** The beginning of the period that a time is in. */
  #periodOf(at: string, per: string): string {
    const month =
      this.#database.kind === 'sqlite'
        ? `unixepoch(${at} / 1000, 'unixepoch', 'start of month') * 1000`
        : `cast(extract(epoch from date_trunc('month', to_timestamp(${at} / 1000) at time zone 'UTC')) * 1000 as bigint)`;
    // The first of January 1970 was a Thursday.
    return `case when ${per} = 'day' then ${at} - ${at} % ${day} when ${per} = 'week' then ${at} - (${at} + ${3 * day}) % ${7 * day}
      when ${per} = 'month' then ${month} else 0 end`;
  }
}

function grant(row: Row, { spent, step = {}, isWhole }: Partial<Taking>): Reservation {
  const budget = stateOf(row);
  const roomFor = (kind: 'usd' | 'tokens'): number =>
    (budget[kind] ?? Infinity) - budget.spent[kind] - budget.reserved[kind];
  const isTooMuch =
    isWhole === true && amountKinds.some((kind) => !isRoomFor((spent?.[kind] ?? 0) + (step[kind] ?? 0), roomFor(kind)));
  const share = (kind: 'usd' | 'tokens'): number | undefined => {
    const limit = budget[kind];
    if (limit === undefined) return undefined;
    if (spent === undefined) return firstGrant(limit, roomFor(kind), step[kind]);
    return isTooMuch ? spent[kind] : nextGrant(spent[kind], step[kind] ?? 0, roomFor(kind));
  };
  return { budget, ...present({ usd: share('usd'), tokens: share('tokens') }) };
}

function isRefused({ usd = Infinity, tokens = Infinity }: Reservation): boolean {
  return usd <= 0 || tokens <= 0;
}

function stateOf(row: Row): BudgetState {
  const number = (name: string): number => Number(row[name] ?? 0);
  const limit = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]));
  const per = periods.find((each) => each === row['per']) ?? 'total';
  const since = number('since');
  return {
    name: String(row['name']),
    per,
    ...present({ usd: limit('usd'), tokens: limit('tokens') }),
    ...(per === 'total' ? {} : { since, until: endOf(per, since) }),
    spent: { usd: number('spent_usd'), tokens: number('spent_tokens') },
    reserved: { usd: number('held_usd'), tokens: number('held_tokens') },
    runs: number('runs'),
    running: number('running'),
    unpriced: number('unpriced'),
  };
}

function endOf(per: Exclude<Period, 'total'>, since: number): number {
  if (per !== 'month') return since + (per === 'day' ? day : 7 * day);
  const from = new Date(since);
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1);
}
