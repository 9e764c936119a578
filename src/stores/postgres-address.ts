import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import type { PoolConfig } from 'pg';
import { Failure, messageOf } from '../failure.ts';
import { present } from '../json/present.ts';
import type { Environment } from '../words/vocabulary.ts';
import { homeFolder } from '../files/xdg.ts';
import { quoted } from '../redact/quoted.ts';

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof modes)[number];

/** What a server must be to be used, as psql has it. */
const targets = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const;
export type Target = (typeof targets)[number];

/** One of the servers of an address. */
export interface PostgresServer {
  host: string;
  port: number;
  password?: string;
  ssl?: ConnectionOptions | false;
}

type Encryption = readonly (ConnectionOptions | false)[];

export interface PostgresAddress {
  /** Its name in messages, without a password. */
  name: string;
  schema: string;
  config: PoolConfig;
  /** Ways to connect, in this order; the next is tried if the server refuses the one before. */
  encryption: Encryption;
  /** All servers, of which the first that answers and is what is wanted is used; `config` and `encryption` are those of the first. */
  servers: readonly (PostgresServer & { encryption: Encryption })[];
  target: Target;
}

/** An address, completed as psql does from the `PG*` environment variables, the password file and the folder `~/.postgresql`. */
export function readAddress(text: string, env: Environment = process.env): PostgresAddress {
  const { url, hosts } = readUrl(text);
  const setting = (parameter: string, variable: string): string | undefined =>
    url.searchParams.get(parameter) || env[variable] || undefined;
  const schema = url.searchParams.get('schema') ?? 'runwire';
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,59}$/.test(schema))
    throw new Failure(
      'config',
      `${JSON.stringify(quoted(schema, 80))} cannot be the ledger's schema; use at most 60 lowercase letters, digits and _, and do not begin with pg_`,
    );
  const places = placesOf(
    hosts,
    (setting('host', 'PGHOST') ?? '').split(','),
    (setting('port', 'PGPORT') ?? '').split(','),
  );
  const user = decoded(url.username) || setting('user', 'PGUSER') || systemUser();
  const database = decoded(url.pathname.slice(1)) || setting('dbname', 'PGDATABASE') || user;
  const given = decoded(url.password) || setting('password', 'PGPASSWORD');
  const servers = places.map(({ host, port }) => ({
    host,
    port: Number(port),
    ...present({ password: given || passwordIn(env, [host, port, database, user]) || undefined }),
    encryption: host.startsWith('/') ? [false as const] : encryptionOf(setting, host, env),
  }));
  const [{ encryption, ...first } = { host: 'localhost', port: 5432, encryption: [] }] = servers;
  const word = setting('target_session_attrs', 'PGTARGETSESSIONATTRS') ?? 'any';
  const target = targets.find((each) => each === word);
  if (target === undefined)
    throw new Failure(
      'config',
      `target_session_attrs ${JSON.stringify(quoted(word, 40))}: expected one of ${targets.join(', ')}`,
    );
  const seconds = Number(setting('connect_timeout', 'PGCONNECT_TIMEOUT') ?? 0);
  return {
    name: `${url.protocol}//${user}@${places.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`,
    schema,
    config: {
      ...first,
      user,
      database,
      connectionTimeoutMillis: seconds > 0 ? seconds * 1000 : connectMs,
      application_name: setting('application_name', 'PGAPPNAME') ?? 'runwire',
      ...present({ options: setting('options', 'PGOPTIONS') }),
    },
    encryption,
    servers,
    target,
  };
}

interface HostAndPort {
  host: string;
  port: string;
}

/** Hosts from the address, else from the variables; one port is for all of them. */
function placesOf(named: readonly HostAndPort[], hosts: readonly string[], ports: readonly string[]): HostAndPort[] {
  const isNamed = named.some(({ host }) => host !== '');
  const found = isNamed
    ? named
    : hosts.map((host, index) => ({ host, port: named[index]?.port ?? named[0]?.port ?? '' }));
  if (ports.length > 1 && ports.length !== found.length)
    throw new Failure('config', `the ledger's address has ${found.length} hosts and ${ports.length} ports`);
  return found.map(({ host, port }, index) => ({
    host: host || 'localhost',
    port: port || ports[ports.length > 1 ? index : 0] || '5432',
  }));
}

const connectMs = 5000;

/** An address may name several hosts, each with a port, which a URL cannot: they are taken out of it. */
export function readUrl(text: string): { url: URL; hosts: HostAndPort[] } {
  const start = text.indexOf('://') + 3;
  const length = text.slice(start).search(/[/?#]/);
  const end = length === -1 ? text.length : start + length;
  const named = text.slice(text.lastIndexOf('@', end - 1) + 1 || start, end);
  const from = end - named.length;
  try {
    const url = new URL([text.slice(0, from), from === start ? '' : 'host', text.slice(end)].join(''));
    return { url, hosts: named.split(',').map(hostAndPort) };
  } catch {
    throw new Failure(
      'config',
      "the ledger's address cannot be read; expected postgres://user:password@host:port/database",
    );
  }
}

function hostAndPort(text: string): HostAndPort {
  const { hostname, port } = new URL(`postgres://${text.startsWith(':') ? `host${text}` : text}`);
  return { host: text.startsWith(':') ? '' : decoded(hostname).replace(/^\[|\]$/g, ''), port };
}

/** A typed password may contain a bare %. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Failure('config', "the ledger's address cannot be read: write a % in it as %25");
  }
}

type Setting = (parameter: string, variable: string) => string | undefined;

/** What each `sslmode` guarantees: `prefer` and `require` check the certificate only if there is a root certificate. */
function encryptionOf(setting: Setting, host: string, env: Environment): readonly (ConnectionOptions | false)[] {
  const word = setting('sslmode', 'PGSSLMODE') ?? 'prefer';
  const mode = modes.find((each) => each === word);
  if (mode === undefined) throw new Failure('config', `sslmode ${word}: expected one of ${modes.join(', ')}`);
  if (mode === 'disable') return [false];
  const folder = join(homeFolder(env), '.postgresql');
  const named = setting('sslrootcert', 'PGSSLROOTCERT');
  const isSystem = named === 'system';
  const ca = isSystem ? undefined : readPem(named, join(folder, 'root.crt'));
  if (mode.startsWith('verify') && ca === undefined && !isSystem)
    throw new Failure(
      'config',
      `sslmode ${mode} needs a root certificate: put it into ~/.postgresql/root.crt, name it with sslrootcert, or use sslrootcert=system`,
    );
  const checks: Mode = mode === 'require' && ca !== undefined ? 'verify-ca' : isSystem ? 'verify-full' : mode;
  const tls: ConnectionOptions = {
    rejectUnauthorized: checks.startsWith('verify'),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(checks === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...present({
      ca,
      cert: readPem(setting('sslcert', 'PGSSLCERT'), join(folder, 'postgresql.crt')),
      key: readPem(setting('sslkey', 'PGSSLKEY'), join(folder, 'postgresql.key')),
    }),
  };
  if (mode === 'prefer') return [tls, false];
  return mode === 'allow' ? [false, tls] : [tls];
}

/** A named file must exist; the default one may. */
function readPem(named: string | undefined, usual: string): string | undefined {
  try {
    return readFileSync(named ?? usual, 'utf8');
  } catch (error) {
    if (named === undefined) return undefined;
    throw new Failure('config', `cannot read ${named}: ${messageOf(error)}`, { cause: error });
  }
}

/** The first line whose four fields fit: `host:port:database:user:password`, with `*` for any. */
function passwordIn(env: Environment, wanted: readonly string[]): string | undefined {
  const path = env['PGPASSFILE'] || join(homeFolder(env), '.pgpass');
  let text: string;
  try {
    // Like psql, ignore a file that others can read.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) return undefined;
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = line.match(/(?:\\.|[^:\\])+/g)?.map((field) => field.replace(/\\(.)/g, '$1')) ?? [];
    if (fields.length >= 5 && wanted.every((value, index) => fields[index] === '*' || fields[index] === value))
      return fields[4];
  }
  return undefined;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'postgres';
  }
}
