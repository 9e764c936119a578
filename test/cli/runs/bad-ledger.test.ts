import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runwire } from '../../support/command.ts';
import { jsonLines, newLedger, runs, temporary } from './ledger.ts';
import { isSweep, some } from '../../support/sweep.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'codex-run.jsonl');
const recorded = ['--', 'cat', example];
const answer = 'I wrote notes.txt and changed bravo to BRAVO.\n';
const warnings = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line.startsWith('runwire: warning: '));

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

  it.runIf(isSweep)('a PostgreSQL that takes the call and never answers', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const { status, stdout, stderr } = await runwire([
        'run',
        '--ledger',
        `postgres://nobody@127.0.0.1:${port}/none`,
        ...recorded,
      ]);
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
  const args = [
    process.getuid?.() === 0 ? '-m' : '-rm',
    'sh',
    '-c',
    script,
    'sh',
    temporary(),
    process.execPath,
    binary,
    example,
  ];
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
  expect(stdout).toMatch(/^ledger\.db\noutbox\ntapes\n\{"id":.*"status":"success".*\n\{"id":/);
  expect(stderr).toMatch(
    /1 run, 1 tape: 0 problems, 0 warnings\nrunwire: warning: this run may be missing from the ledger: .*read-only/,
  );
  expect(status).toBe(0);
});

describe('on a disk without one free block', () => {
  // SQLite writes what was committed into the ledger's own file when the last process closes it: one that is killed leaves it beside.
  const write =
    'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("update runs set heartbeat_at = heartbeat_at")';
  const killed = `"$2" -e '${write}; process.kill(process.pid, 9)' "$1/runwire/ledger.db"`;

  /** Three runs on a small file system, which then fills up, and what is done there. */
  function onFullDisk(
    commands: readonly string[],
    flags = '',
  ): { status: number | null; stdout: string; stderr: string } {
    const script = `mount -t tmpfs -o size=2m tmpfs "$1" && cd "$1" && export XDG_STATE_HOME="$1" HOME="$1"
      node="$2" binary="$3"
      runwire() { "$node" "$binary" "$@"; }
      full() { cat /dev/zero >> "$HOME/fill" 2> /dev/null; true; }
      for each in 1 2 3; do runwire run -q ${flags} -- sh -c 'head -c 60000 /dev/urandom | base64; cat "$1"' sh "$4" > /dev/null || exit 9; done
      ${commands.join('\n')}`;
    const binary = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
    const args = [
      process.getuid?.() === 0 ? '-m' : '-rm',
      'sh',
      '-c',
      script,
      'sh',
      temporary(),
      process.execPath,
      binary,
      example,
    ];
    return spawnSync('unshare', args, { encoding: 'utf8' });
  }
  const prune = 'runwire runs prune --keep 1 --yes';

  const moments = [
    ['and nobody uses the ledger', 'full'],
    ['and a killed process left its last writes beside the ledger', `${killed}; full`],
  ] as const;
  it.each(some(moments))('runs are shown and pruned, %s', (_name, before) => {
    const { status, stdout, stderr } = onFullDisk([
      before,
      'runwire runs list --csv | wc -l',
      prune,
      'full',
      'runwire runs verify',
    ]);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^4\nremoved 2 runs and 2 tapes \(.*\)\n$/) as string,
      stderr: expect.stringMatching(
        /^(Killed\n)?runwire: warning: the ledger is as large as before, .* full\nrunwire: 1 run, 1 tape: 0 problems, 0 warnings\n$/,
      ) as string,
    });
  });

  it.runIf(isSweep)('and without a tape to remove, it is said what to do', () => {
    const { status, stdout, stderr } = onFullDisk(['full', prune], '--no-tape');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^runwire: the disk of the ledger .* is full: 0 tapes were removed and 0 runs were forgotten, but 2 runs could not be: the database needs some 200 KB of free room to forget one\. Nothing else is lost; free that much there and prune again\n$/,
    );
  });
});

it('the same run in any format is one run of the ledger, with its labels', async () => {
  const ledger = newLedger();
  for (const format of ['--json', '--stream-json', '--to=runwire']) {
    const cwd = temporary();
    const { status } = await runwire([
      'run',
      '--ledger',
      ledger,
      '--label',
      'team=core',
      format,
      '--cwd',
      cwd,
      '--',
      'cat',
      example,
    ]);
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
