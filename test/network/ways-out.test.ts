import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { OwnNetwork } from '../../src/network/own-network.ts';
import { messageOf } from '../../src/failure.ts';
import { compiled } from '../support/compiled.ts';
import { ways } from './support/ways.ts';

const isRoot = process.geteuid?.() === 0;
const nobody = 65534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
const users = [['ourselves', []] as const, ...(isRoot ? [['an unprivileged user', asNobody] as const] : [])];

/** Why this system has no networks for single processes; undefined: it has them. */
const lack = await OwnNetwork.open().then(
  (network): undefined => void network.close(),
  (error: unknown) => messageOf(error),
);

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe.each(users)('as %s', (_who, prefix) => {
  it(`stops ${ways.length} ways out${lack === undefined ? '' : ` (skipped: ${lack})`}`, async ({ skip }) => {
    skip(lack !== undefined, lack);
    const isPlain = !isRoot || prefix.length > 0;
    const work = mkdtempSync(join(tmpdir(), 'runwire-ways-'));
    folders.push(work);
    copyFileSync(join(import.meta.dirname, 'support', 'reach.pl'), join(work, 'reach.pl'));
    copyFileSync('/usr/bin/nsenter', join(work, 'helper'));
    if (prefix.length > 0) {
      chmodSync(tmpdir(), 0o1777);
      execFileSync('chown', [`${nobody}:${nobody}`, work]);
    }
    chmodSync(join(work, 'helper'), isRoot ? 0o4755 : 0o755);
    const [command = '', ...args] = [...prefix, process.execPath, join(import.meta.dirname, 'support', 'try-ways.ts')];
    const { stdout } = await promisify(execFile)(command, args, {
      env: { PATH: process.env['PATH'], WORK: work, ...compiled },
    });
    const { open, closed, untried } = JSON.parse(stdout) as Record<'open' | 'closed' | 'untried', string[]>;
    expect(closed).toEqual([]);
    const expected = ways
      .filter(({ name }) => !untried.includes(name))
      .filter(
        (way) =>
          way.open === undefined || (way.open === 'root' && !isPlain) || (way.open === 'with a helper' && isRoot),
      )
      .map(({ name }) => name);
    // Each is a way out where nothing is confined.
    expect(expected.filter((name) => !open.includes(name))).toEqual([]);
    expect(expected.length).toBeGreaterThan(isPlain ? 30 : 40);
  });
});
