import type pg from 'pg';
import { Failure } from '../failure.ts';
import type { PostgresAddress } from '../stores/postgres-address.ts';
import { onConnection, takePool, type TakenPool } from '../stores/postgres-pools.ts';
import type { Sql } from './boss.ts';

/** A worker polls every second, so it keeps its connections. */
const idleTimeoutMillis = 10_000;
/** A cut network gives no error. */
const query_timeout = 60_000;

/** pg-boss allows fifty characters, which include our suffix. */
const longestSchema = 44;

/** Connections to the ledger's server, for the queue beside the ledger. */
export class QueueDatabase implements Sql {
  /** Its name in messages, without a password. */
  readonly name: string;
  /** The queue's schema, beside the ledger's. */
  readonly schema: string;
  readonly #pool: pg.Pool;
  readonly #release: () => Promise<void>;

  private constructor({ name, schema }: PostgresAddress, { pool, release }: TakenPool) {
    this.name = name;
    this.schema = `${schema}_queue`;
    this.#pool = pool;
    this.#release = release;
  }

  static async open(text: string, address: PostgresAddress): Promise<QueueDatabase> {
    if (address.schema.length > longestSchema)
      throw new Failure(
        'config',
        `the schema "${address.schema}" is too long for a queue beside it; use at most ${longestSchema} letters`,
      );
    return new QueueDatabase(
      address,
      await takePool(`queue ${text}`, address, { idleTimeoutMillis, query_timeout, pipeline: true }),
    );
  }

  executeSql(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    return this.#pool.query(text, values);
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, values)).rows;
  }

  /**
   * Statements that are not awaited are sent to the server together, and all of them are awaited at the end: so `begin`, with an optional first
   * statement, costs no round trip, and neither does `commit` after a last statement that is not awaited.
   */
  transaction<Result>(work: (sql: Transaction) => Promise<Result>, first = ''): Promise<Result> {
    return onConnection(this.#pool, async (client) => {
      const queries: Promise<unknown>[] = [];
      const ask = <Row extends object>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>> => {
        const answer = client.query<Row>(text, values);
        queries.push(answer);
        // Reported below, or to the caller that awaits it.
        answer.catch(() => {});
        return answer;
      };
      void ask(`begin; ${first}`);
      const result = await work({
        executeSql: (text, values = []) => ask(text, values),
        query<Row extends object>(text: string, values: unknown[] = []) {
          const rows = ask<Row>(text, values).then((answer) => answer.rows);
          rows.catch(() => {});
          return rows;
        },
      });
      void ask('commit');
      // After a failed statement `commit` silently becomes a rollback.
      await Promise.all(queries);
      return result;
    });
  }

  close(): Promise<void> {
    return this.#release();
  }
}

/** JSON that PostgreSQL accepts: no NUL, no lone surrogate. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\u{fffd}') : part,
  );
}

export interface Transaction extends Sql {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}
