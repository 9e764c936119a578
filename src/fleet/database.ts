import type pg from 'pg';
import { Failure } from '../failure.ts';
import type { PostgresAddress } from '../stores/postgres-address.ts';
import { takePool, type TakenPool } from '../stores/postgres-pools.ts';
import type { Sql } from './boss.ts';

/** A worker asks every second: it keeps its connections. */
const idleTimeoutMillis = 10_000;
/** A network that was cut says nothing. */
const query_timeout = 60_000;

/** pg-boss takes fifty, with ours at the end. */
const longestSchema = 44;

/** Connections to the server of the ledger, for the queue beside it. */
export class QueueDatabase implements Sql {
  /** How to call it in a message; without a password. */
  readonly name: string;
  /** Beside the ledger's own. */
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
      throw new Failure('config', `the schema "${address.schema}" is too long for a queue beside it; use at most ${longestSchema} letters`);
    return new QueueDatabase(address, await takePool(`queue ${text}`, address, { idleTimeoutMillis, query_timeout }));
  }

  executeSql(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    return this.#pool.query(text, values);
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, values)).rows;
  }

  /** `begin` may bring a statement of its own, so that it costs no way to the server and back. */
  async transaction<Result>(work: (sql: Transaction) => Promise<Result>, first = ''): Promise<Result> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    // The connection may break while nothing is asked of it; the next statement fails and says so.
    const onError = (error: Error): void => void (failure = error);
    client.on('error', onError);
    try {
      await client.query(`begin; ${first}`);
      const result = await work({
        executeSql: (text, values = []) => client.query(text, values),
        query: async <Row extends object>(text: string, values: unknown[] = []) => (await client.query<Row>(text, values)).rows,
      });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((broken: unknown) => {
        failure = broken instanceof Error ? broken : new Error(String(broken));
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }

  close(): Promise<void> {
    return this.#release();
  }
}

export interface Transaction extends Sql {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}
