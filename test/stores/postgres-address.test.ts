import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAddress } from '../../src/stores/postgres-address.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-address-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const passwords = join(home, '.pgpass');
writeFileSync(passwords, '# mine\nother:*:*:*:wrong\n*:5433:runs:ann:a\\:b\\\\c\ndb:*:*:*:any\n', { mode: 0o600 });
const env = { HOME: home };
const plain = 'postgres://ann@db:5433/runs';

describe('the address of a server', () => {
  it('is completed by the variables that psql knows', () => {
    const variables = {
      PGHOST: 'h',
      PGPORT: '6000',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'd',
      PGAPPNAME: 'me',
      PGCONNECT_TIMEOUT: '2',
    };
    expect(readAddress('postgres://', { ...env, ...variables })).toMatchObject({
      name: 'postgres://u@h:6000/d',
      schema: 'runwire',
      config: {
        host: 'h',
        port: 6000,
        user: 'u',
        password: 'p',
        database: 'd',
        application_name: 'me',
        connectionTimeoutMillis: 2000,
      },
    });
    expect(readAddress('postgres://ann:x%20y@db:1/runs?schema=s', { ...env, ...variables })).toMatchObject({
      schema: 's',
      config: { host: 'db', port: 1, user: 'ann', password: 'x y', database: 'runs' },
    });
    expect(readAddress('postgresql://%2Frun%2Fpg/d', env)).toMatchObject({
      config: { host: '/run/pg' },
      encryption: [false],
    });
    expect(readAddress('postgres://u@h', env).config.database).toBe('u');
  });

  it.each([
    [
      'postgres://ann:x@h1,h2/d',
      {},
      'postgres://ann@h1:5432,h2:5432/d',
      [
        ['h1', 5432],
        ['h2', 5432],
      ],
      'any',
    ],
    [
      'postgres://ann:x@h1:1,[::1]:2,%2Frun/d?target_session_attrs=read-write',
      {},
      'postgres://ann@h1:1,::1:2,/run:5432/d',
      [
        ['h1', 1],
        ['::1', 2],
        ['/run', 5432],
      ],
      'read-write',
    ],
    [
      'postgres://ann:a%2Cb%40c@h1,h2:6/d',
      { PGPORT: '7' },
      'postgres://ann@h1:7,h2:6/d',
      [
        ['h1', 7],
        ['h2', 6],
      ],
      'any',
    ],
    [
      'postgres:///d?user=ann&host=h1,h2&port=1,2',
      {},
      'postgres://ann@h1:1,h2:2/d',
      [
        ['h1', 1],
        ['h2', 2],
      ],
      'any',
    ],
    [
      'postgres://',
      { PGHOST: 'h1,h2', PGUSER: 'ann', PGDATABASE: 'd', PGTARGETSESSIONATTRS: 'primary' },
      'postgres://ann@h1:5432,h2:5432/d',
      [
        ['h1', 5432],
        ['h2', 5432],
      ],
      'primary',
    ],
    ['postgres://ann@/d', { PGHOST: 'h' }, 'postgres://ann@h:5432/d', [['h', 5432]], 'any'],
  ] as const)('may name several hosts, as for psql: %s %j', (text, variables, name, servers, target) => {
    const address = readAddress(text, { ...env, ...variables });
    expect([address.name, address.servers.map(({ host, port }) => [host, port]), address.target]).toEqual([
      name,
      servers,
      target,
    ]);
    expect([address.config.host, address.config.port]).toEqual(servers[0]);
  });

  it('refuses other numbers of hosts and ports, and states that no server has', () => {
    expect(() => readAddress('postgres:///d?host=h1,h2&port=1,2,3', env)).toThrow('2 hosts and 3 ports');
    expect(() => readAddress('postgres://h1,h2/d?target_session_attrs=green', env)).toThrow(
      'target_session_attrs "green": expected one of any, read-write, read-only, primary, standby',
    );
    expect(() => readAddress('postgres://h1:x,h2/d', env)).toThrow('cannot be read');
  });

  it('finds a password in the file that psql reads, unless others can read it too', () => {
    expect(readAddress(plain, env).config.password).toBe('a:b\\c');
    expect(readAddress('postgres://bob@db/runs', env).config.password).toBe('any');
    expect(readAddress('postgres://bob@nowhere/runs', env).config.password).toBeUndefined();
    expect(readAddress(plain, { ...env, PGPASSWORD: 'first' }).config.password).toBe('first');
    const shared = join(home, 'shared');
    writeFileSync(shared, '*:*:*:*:x\n');
    chmodSync(shared, 0o644);
    expect(readAddress(plain, { ...env, PGPASSFILE: shared }).config.password).toBeUndefined();
    chmodSync(shared, 0o600);
    expect(readAddress(plain, { ...env, PGPASSFILE: shared }).config.password).toBe('x');
  });

  const checked = { rejectUnauthorized: true };
  const unchecked = { rejectUnauthorized: false };
  it.each([
    ['', {}, [unchecked, false]],
    ['?sslmode=disable', {}, [false]],
    ['?sslmode=allow', {}, [false, unchecked]],
    ['?sslmode=require', {}, [unchecked]],
    ['?sslmode=require', { root: true }, [checked]],
    ['?sslmode=verify-full', { root: true }, [checked]],
    ['?sslmode=verify-full&sslrootcert=system', {}, [checked]],
    ['', { PGSSLMODE: 'disable' }, [false]],
    ['?sslmode=require', { PGSSLMODE: 'disable' }, [unchecked]],
  ])(
    'means by %s %j what psql means by it',
    (query, { root = false, ...variables }: { root?: boolean; PGSSLMODE?: string }, expected) => {
      const place = mkdtempSync(join(home, 'home-'));
      if (root) {
        mkdirSync(join(place, '.postgresql'));
        writeFileSync(join(place, '.postgresql', 'root.crt'), 'certificate');
      }
      const { encryption } = readAddress(plain + query, { HOME: place, ...variables });
      expect(encryption).toHaveLength(expected.length);
      expect(encryption).toMatchObject(expected);
    },
  );

  it('says what it lacks', () => {
    expect(() => readAddress(`${plain}?sslmode=verify-ca`, env)).toThrow(/sslmode verify-ca needs a root certificate/);
    expect(() => readAddress(`${plain}?sslmode=sometimes`, env)).toThrow(
      /sslmode sometimes: expected one of disable, allow/,
    );
    expect(() => readAddress(`${plain}?sslrootcert=/no/such`, env)).toThrow(/cannot read \/no\/such/);
    for (const schema of ['Bank', 'pg_temp', '', 'a b', 'a"; drop schema x', 'x'.repeat(61), '\u001B[2J'])
      expect(() => readAddress(`${plain}?schema=${encodeURIComponent(schema)}`, env)).toThrow(
        /^"[ -~]*" cannot be the ledger's schema/,
      );
    expect(() => readAddress('postgres://a%zz@db/runs', env)).toThrow(/cannot be read/);
    expect(() => readAddress('postgres://u:100%@h/d', env)).toThrow(/address cannot be read: write a % in it as %25/);
  });
});
