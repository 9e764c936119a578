import pg, { type PoolConfig } from 'pg';
import type { PostgresAddress } from './postgres-address.ts';
import { isAboutEncryption, SeveralServersPool } from './several-servers.ts';

/** Released soon: a run writes every few seconds, and a server has a hundred connections for a whole team. */
const idleMs = 200;
const mostConnections = 4;

interface SharedPool {
  pool: Promise<pg.Pool>;
  users: number;
}

const pools = new Map<string, SharedPool>();

/** A shared pool of connections: `release` gives it back. */
export interface TakenPool {
  pool: pg.Pool;
  release: () => Promise<void>;
}

/** The runs of one process share their connections by name. The caller must release the pool that it takes. */
export async function takePool(name: string, address: PostgresAddress, options: PoolConfig = {}): Promise<TakenPool> {
  const shared = pools.get(name) ?? { pool: connect(address, options), users: 0 };
  pools.set(name, shared);
  shared.users += 1;
  let isReleased = false;
  async function release(): Promise<void> {
    if (isReleased) return;
    isReleased = true;
    shared.users -= 1;
    if (shared.users > 0) return;
    if (pools.get(name) === shared) pools.delete(name);
    await (await shared.pool.catch(() => undefined))?.end();
  }
  try {
    return { pool: await shared.pool, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Runs `work` on one connection, and rolls back if it throws. A broken connection is not used again. */
export async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  // The connection may break while it is idle; the next statement fails and reports it.
  const onError = (error: Error): void => void (failure = error);
  client.on('error', onError);
  try {
    return await work(client);
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

async function connect(
  { config, encryption, servers, target }: PostgresAddress,
  options: PoolConfig,
): Promise<pg.Pool> {
  const all: PoolConfig = {
    ...config,
    max: mostConnections,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    allowExitOnIdle: true,
    types: { getTypeParser: typeParser },
    ...options,
  };
  if (servers.length > 1 || target !== 'any') {
    return usable(
      new SeveralServersPool(
        servers.flatMap((server) => server.encryption.map((ssl) => ({ ...server, ssl }))),
        target,
        all,
      ),
    );
  }
  for (const [index, ssl] of encryption.entries()) {
    try {
      return await usable(new pg.Pool({ ...all, ssl }));
    } catch (error) {
      if (index === encryption.length - 1 || !isAboutEncryption(error)) throw error;
    }
  }
  throw new Error('there is no way to connect');
}

/** A pool that has connected once; one that cannot is ended. */
async function usable(pool: pg.Pool): Promise<pg.Pool> {
  // A server that shuts down notifies its idle connections too; the next statement fails and reports it.
  pool.on('error', () => {});
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Counts and sums come as text because they might be too big for a number; ours never are. */
function typeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC
    ? Number
    : pg.types.getTypeParser(type, format as 'text');
}
