import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tapesPlace } from '../../src/tapes/tapes-place.ts';

describe('the place of tapes', () => {
  const sqlite = { kind: 'sqlite', path: '/a/b.db' } as const;
  const postgres = { kind: 'postgres', url: 'postgres://h/d' } as const;
  it.each([
    ['files of this machine by default', undefined, {}, sqlite, { kind: 'files' }],
    ['where a shared ledger is', undefined, {}, postgres, { kind: 'postgres' }],
    ['files, if that is asked for', 'files', {}, postgres, { kind: 'files' }],
    [
      'from the environment',
      undefined,
      { RUNWIRE_TAPES: 's3://team-tapes/a/b/' },
      sqlite,
      { kind: 'bucket', bucket: 'team-tapes', prefix: 'a/b' },
    ],
    [
      'from the flag',
      's3://team',
      { RUNWIRE_TAPES: 'files' },
      postgres,
      { kind: 'bucket', bucket: 'team', prefix: '' },
    ],
  ])('is %s', (_name, flag, env, ledger, place) => expect(tapesPlace(flag, env, ledger)).toEqual(place));

  it.each([
    's3://AKIAIOSFODNN7EXAMPLE:hush-hush@team/a',
    's3://team/a?key=hush-hush',
    's3://team/../b',
    's3://team//b',
    's3://t/a',
    's3://',
    `s3://team/${'a'.repeat(201)}`,
    'gs://team/hush-hush',
    '/tmp/hush-hush',
    '',
  ])('is not %s, and does not repeat it', (named) => {
    expect(() => tapesPlace(named, {}, postgres)).toThrow(/place for tapes|tapes/);
    expect(() => tapesPlace(named, {}, postgres)).not.toThrow(/hush|AKIA/);
  });

  it("is in the user's own config file, if nothing else is said", () => {
    const folder = mkdtempSync(join(tmpdir(), 'runwire-config-'));
    const env = { XDG_CONFIG_HOME: folder };
    mkdirSync(join(folder, 'runwire'));
    writeFileSync(join(folder, 'runwire', 'config.json'), '{"tapes":"s3://mine/x"}');
    const mine = { kind: 'bucket', bucket: 'mine', prefix: 'x' };
    expect([tapesPlace(undefined, env, sqlite), tapesPlace('files', env, sqlite)]).toEqual([mine, { kind: 'files' }]);
    writeFileSync(join(folder, 'runwire', 'config.json'), '{');
    expect(tapesPlace(undefined, env, sqlite)).toEqual({ kind: 'files' });
    rmSync(folder, { recursive: true });
  });

  it('is in postgres only where the ledger is', () =>
    expect(() => tapesPlace('postgres', {}, sqlite)).toThrow(/--ledger/));
});
