import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runwire } from '../../support/command.ts';
import { jsonLines, newLedger, runs, temporary } from './ledger.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'codex-run.jsonl');
const recorded = ['--', 'cat', example];
const answer = 'I wrote notes.txt and changed bravo to BRAVO.\n';
const warnings = (stderr: string): string[] => stderr.split('\n').filter((line) => line.startsWith('runwire: warning: '));

/** A file that is no folder, and one that is no database. */
function file(text: string): string {
  const path = join(temporary(), 'file');
  writeFileSync(path, text);
  return path;
}

describe.concurrent('a ledger that fails costs one warning, not the run', () => {
  const lost = /this run may be missing from the ledger: /;
  const waits = /this run is not in the ledger yet: .*; the next command here that uses it tries again/;
  it.each([
    ['a folder that cannot be made', () => join(file(''), 'ledger.db'), lost],
    ['a folder that can be looked for and never made', () => '/proc/runwire/ledger.db', lost],
    ['a file that is no database', () => file('not a database, by far not\n'.repeat(100)), waits],
    ['a PostgreSQL that is not there', () => 'postgres://nobody@127.0.0.1:1/none', waits],
  ])('%s', async (_, place, message) => {
    const { status, stdout, stderr } = await runwire(['run', '--ledger', place(), ...recorded]);
    expect({ status, stdout, warnings: warnings(stderr).length }).toEqual({ status: 0, stdout: answer, warnings: 1 });
    expect(warnings(stderr)[0]).toMatch(message);
  });

  it('a PostgreSQL that takes the call and never answers', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const { status, stdout, stderr } = await runwire(['run', '--ledger', `postgres://nobody@127.0.0.1:${port}/none`, ...recorded]);
      expect({ status, stdout, warnings: warnings(stderr).length }).toEqual({ status: 0, stdout: answer, warnings: 1 });
    } finally {
      server.close();
    }
  });
});

it('is read from a file system that cannot be written', () => {
  const binary = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
  const script = `mount -t tmpfs tmpfs "$1" && cd "$1" && export XDG_STATE_HOME="$1"
    "$2" "$3" run -q -- cat "$4" >/dev/null && mount -o remount,ro "$1" && ls "$1/runwire" &&
    "$2" "$3" runs list --format json && "$2" "$3" runs show last | head -c 10 && "$2" "$3" runs verify && "$2" "$3" run -q -- cat "$4"`;
  const args = [process.getuid?.() === 0 ? '-m' : '-rm', 'sh', '-c', script, 'sh', temporary(), process.execPath, binary, example];
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 50_000 });
  expect(stdout).toMatch(/^ledger\.db\noutbox\ntapes\n\{"id":.*"status":"success".*\n\{"id":/);
  expect(stderr).toMatch(/1 run, 1 tape: 0 problems, 0 warnings\nrunwire: warning: this run may be missing from the ledger: .*read-only/);
  expect(status).toBe(0);
});

it('the same run in any format is one run of the ledger, with its labels', async () => {
  const ledger = newLedger();
  for (const format of ['--json', '--stream-json', '--to=runwire']) {
    const cwd = temporary();
    const { status } = await runwire(['run', '--ledger', ledger, '--label', 'team=core', format, '--cwd', cwd, '--', 'cat', example]);
    expect(status).toBe(0);
  }
  const found = jsonLines<{ status: string; labels: Record<string, string>; tape?: string }>(
    (await runs(ledger, ['list', '--label', 'team=core', '--format', 'json'])).stdout,
  );
  expect(found.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  expect(found.every(({ labels, tape }) => labels['team'] === 'core' && tape !== undefined)).toBe(true);
});

it('--no-tape keeps no tape, --ledger none nothing', async () => {
  const ledger = newLedger();
  await runwire(['run', '--ledger', ledger, '--no-tape', ...recorded]);
  await runwire(['run', '--ledger', 'none', ...recorded], { env: { RUNWIRE_LEDGER: ledger } });
  const found = jsonLines<{ tape?: string }>((await runs(ledger, ['list', '--format', 'json'])).stdout);
  expect(found.map(({ tape }) => tape)).toEqual([undefined]);
});

it('a bad place or label is said before the run begins', async () => {
  expect(await runwire(['run', '--ledger', 'mysql://x/y', ...recorded])).toMatchObject({ status: 1, stdout: '' });
  expect(await runwire(['run', '--label', 'nothing', ...recorded])).toMatchObject({ status: 2, stdout: '' });
});
