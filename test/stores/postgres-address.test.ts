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
      config: { host: 'h', port: 6000, user: 'u', password: 'p', database: 'd', application_name: 'me', connectionTimeoutMillis: 2000 },
    });
    expect(readAddress('postgres://ann:x%20y@db:1/runs?schema=s', { ...env, ...variables })).toMatchObject({
      schema: 's',
      config: { host: 'db', port: 1, user: 'ann', password: 'x y', database: 'runs' },
    });
    expect(readAddress('postgresql://%2Frun%2Fpg/d', env)).toMatchObject({ config: { host: '/run/pg' }, encryption: [false] });
    expect(readAddress('postgres://u@h', env).config.database).toBe('u');
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
  ])('means by %s %j what psql means by it', (query, { root = false, ...variables }: { root?: boolean; PGSSLMODE?: string }, expected) => {
    const place = mkdtempSync(join(home, 'home-'));
    if (root) {
      mkdirSync(join(place, '.postgresql'));
      writeFileSync(join(place, '.postgresql', 'root.crt'), 'certificate');
    }
    const { encryption } = readAddress(plain + query, { HOME: place, ...variables });
    expect(encryption).toHaveLength(expected.length);
    expect(encryption).toMatchObject(expected);
  });

  it('says what it lacks', () => {
    expect(() => readAddress(`${plain}?sslmode=verify-ca`, env)).toThrow(/sslmode verify-ca needs a root certificate/);
    expect(() => readAddress(`${plain}?sslmode=sometimes`, env)).toThrow(/sslmode sometimes: expected one of disable, allow/);
    expect(() => readAddress(`${plain}?sslrootcert=/no/such`, env)).toThrow(/cannot read \/no\/such/);
    for (const schema of ['Bank', 'pg_temp', '', 'a b', 'a"; drop schema x', 'x'.repeat(61), '\u001B[2J'])
      expect(() => readAddress(`${plain}?schema=${encodeURIComponent(schema)}`, env)).toThrow(/^"[ -~]*" cannot be the ledger's schema/);
    expect(() => readAddress('postgres://a%zz@db/runs', env)).toThrow(/cannot be read/);
    expect(() => readAddress('postgres://u:100%@h/d', env)).toThrow(/address cannot be read: write a % in it as %25/);
  });
});
