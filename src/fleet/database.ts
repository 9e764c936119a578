import pg from 'pg';
import { Failure, messageOf } from '../failure.ts';
import type { Sql } from './boss.ts';

const connectMs = 5000;
/** A network that was cut says nothing. */
const answerMs = 60_000;

/** Connections to the server of the ledger, for the queue beside it. */
export class QueueDatabase implements Sql {
  /** How to call it in a message; without a password. */
  readonly name: string;
  /** Beside the ledger's own. */
  readonly schema: string;
  readonly #pool: pg.Pool;

  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined)
      throw new Failure('config', "the ledger's address cannot be read; expected postgres://user:password@host:port/database");
    const ledger = url.searchParams.get('schema') ?? 'runwire';
    if (!/^[a-z_][a-z0-9_]{0,53}$/.test(ledger))
      throw new Failure('config', `"${ledger}" cannot be the ledger's schema; use small letters, digits and _`);
    this.schema = `${ledger}_queue`;
    url.searchParams.delete('schema');
    this.name = `${url.protocol}//${url.username}@${url.host}${url.pathname}`;
    this.#pool = new pg.Pool({
      connectionString: url.href,
      max: 4,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'runwire',
    });
    // A server that goes away tells its idle connections too; the next statement is who must know.
    this.#pool.on('error', () => {});
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

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }
}

export interface Transaction extends Sql {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** Each address of a host may fail in its own way. */
export function whyUnusable(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}
