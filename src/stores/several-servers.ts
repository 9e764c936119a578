import pg, { type PoolConfig } from 'pg';
import { systemCode } from '../failure.ts';
import type { PostgresServer, Target } from './postgres-address.ts';

/** The statement that says what a server is: true, if it is what is wanted. */
const tests: Readonly<Record<Target, string | undefined>> = {
  any: undefined,
  'read-write': "select current_setting('transaction_read_only') = 'off' as fits",
  'read-only': "select current_setting('transaction_read_only') = 'on' as fits",
  primary: 'select not pg_is_in_recovery() as fits',
  standby: 'select pg_is_in_recovery() as fits',
};

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: unknown) => void,
) => void;

/** Connections to the first of several servers that answers and is what is wanted, as psql chooses; when it goes away, to the next. */
export class SeveralServersPool extends pg.Pool {
  readonly #servers: readonly PostgresServer[];
  readonly #test: string | undefined;
  readonly #tested = new WeakSet<pg.PoolClient>();
  readonly #at: { index: number };

  constructor(servers: readonly PostgresServer[], target: Target, options: PoolConfig) {
    const at = { index: 0 };
    // A pool makes each client from the same options: which server it is for is decided at that moment.
    class ClientOfOne extends pg.Client {
      constructor(config: pg.ClientConfig) {
        super({ ...config, ...servers[at.index] });
      }
    }
    super({ ...options, Client: ClientOfOne as never });
    this.#servers = servers;
    this.#test = tests[target];
    this.#at = at;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | void {
    const found = this.#connectToAny();
    if (done === undefined) return found;
    void this.#answer(found, done);
  }

  async #answer(found: Promise<pg.PoolClient>, done: Connected): Promise<void> {
    let client: pg.PoolClient;
    try {
      client = await found;
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)), undefined, () => {});
    }
    done(undefined, client, (error) => client.release(error as Error | undefined));
  }

  async #connectToAny(): Promise<pg.PoolClient> {
    const failures: unknown[] = [];
    for (let tries = 0; tries < this.#servers.length; tries += 1) {
      const { index } = this.#at;
      try {
        const client = await super.connect();
        if (await this.#isWanted(client)) return client;
        client.release(true);
        failures.push(new Error(`${nameOf(this.#servers[index])} is not what target_session_attrs asks for`));
      } catch (error) {
        // Who is refused by one server would be refused by all.
        if (systemCode(error)?.startsWith('28') === true && !isAboutEncryption(error)) throw error;
        failures.push(error);
      }
      // Of several that fail at once, one goes on to the next server.
      if (this.#at.index === index) this.#at.index = (index + 1) % this.#servers.length;
    }
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'no server can be used');
  }

  async #isWanted(client: pg.PoolClient): Promise<boolean> {
    if (this.#test === undefined || this.#tested.has(client)) return true;
    const { rows } = await client.query<{ fits: boolean }>(this.#test);
    if (rows[0]?.fits !== true) return false;
    this.#tested.add(client);
    return true;
  }
}

function nameOf(server: PostgresServer | undefined): string {
  return `${server?.host ?? ''}:${server?.port ?? ''}`;
}

/** The server has no certificate, or lets this user in only with encryption, or only without. */
export function isAboutEncryption(error: unknown): boolean {
  return error instanceof Error && (error.message.includes('does not support SSL') || systemCode(error) === '28000');
}
