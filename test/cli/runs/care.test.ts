import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import { runs as group } from '../../../src/cli/commands/runs.ts';
import type { EventRecord } from '../../../src/events/event.ts';
import type { ImportedRun } from '../../../src/stores/run-store.ts';
import { FileTapes } from '../../../src/tapes/file-tapes.ts';
import { runwire } from '../../support/command.ts';
import { exported, fill, jsonLines, newLedger, runs, sample } from './ledger.ts';

async function withTape(
  ledger: string,
  run: ImportedRun,
  lines = 50,
): Promise<ImportedRun & { tape: string; path: string }> {
  const { key, tape } = new FileTapes(join(ledger, '..', 'tapes')).create(run.id, run.started_at);
  const writer = tape.write({ onTrouble: (message) => expect(message).toBe('') });
  for (let sequence = 1; sequence <= lines; sequence += 1) {
    const record = {
      type: 'log',
      stream: 'agent',
      text: `${Math.sin(sequence)}`,
      sequence,
      timestamp: null,
      thread_id: 't',
      source: 'agent',
      synthetic: false,
    };
    writer.record(record as EventRecord);
  }
  await writer.end();
  return { ...run, tape: key, path: tape.name };
}

const left = async (ledger: string): Promise<string[]> => (await exported(ledger)).map(({ key }) => key ?? '');

async function filled() {
  const ledger = newLedger();
  const samples = [
    await withTape(ledger, sample(1)),
    await withTape(ledger, sample(2, { verdict: 'tool' })),
    await withTape(ledger, sample(3)),
  ];
  const recent = sample(4, { started_at: Date.now() - 3_600_000 });
  await fill(ledger, [...samples.map(({ path: _path, ...run }) => run), recent]);
  return { ledger, paths: samples.map(({ path }) => path) };
}

describe('prune', () => {
  it('only tells what would go, until it is told yes', async () => {
    const { ledger, paths } = await filled();
    const would = await runs(ledger, ['prune', '--older-than', '30d']);
    expect(would).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^would remove 3 runs and 3 tapes \(.*\)\n$/) as string,
    });
    expect(would.stderr).toContain('add --yes');
    expect(await left(ledger)).toHaveLength(4);
    expect(paths.map((path) => existsSync(path))).toEqual([true, true, true]);
    const done = await runs(ledger, ['prune', '--older-than', '30d', '--yes']);
    expect(done.stdout).toMatch(/^removed 3 runs and 3 tapes/);
    expect(await left(ledger)).toEqual(['sample-4']);
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, false]);
  });

  it.each<[string, string[], string[]]>([
    ['all but the newest', ['--keep', '2'], ['sample-4', 'sample-3']],
    ['a filter', ['--class', 'tool'], ['sample-4', 'sample-3', 'sample-1']],
    [
      'both, which must both hold',
      ['--keep', '1', '--class', 'tool'],
      ['sample-4', 'sample-3', 'sample-2', 'sample-1'],
    ],
  ])('%s', async (_name, flags, expected) => {
    const { ledger } = await filled();
    expect((await runs(ledger, ['prune', '--yes', ...flags])).status).toBe(0);
    expect(await left(ledger)).toEqual(expected);
  });

  it('takes tapes and leaves their runs', async () => {
    const { ledger, paths } = await filled();
    await runs(ledger, ['prune', '--tapes-only', '--status', 'error', '--yes']);
    expect(paths.map((path) => existsSync(path))).toEqual([true, false, true]);
    await runs(ledger, ['prune', '--max-size', '0', '--yes']);
    expect(paths.map((path) => existsSync(path))).toEqual([false, false, false]);
    expect(await left(ledger)).toHaveLength(4);
  });

  it('wants to be told what', async () => {
    const { ledger } = await filled();
    expect(await runs(ledger, ['prune', '--yes'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nothing is selected') as string,
    });
    expect(await runs(ledger, ['prune', '--older-than', 'a while'])).toMatchObject({ status: 2 });
    expect(await runs(ledger, ['prune', '--max-size', 'big'])).toMatchObject({ status: 2 });
  });
});

describe('verify', () => {
  it('is content with what is whole', async () => {
    const { ledger } = await filled();
    expect(await runs(ledger, ['verify'])).toEqual({
      status: 0,
      stdout: '',
      stderr: 'runwire: 4 runs, 3 tapes: 0 problems, 0 warnings\n',
    });
  });

  it('finds a tape that is damaged, one that is gone, and one without a run', async () => {
    const { ledger, paths } = await filled();
    const [first = '', second = ''] = paths;
    const bytes = readFileSync(first);
    writeFileSync(first, bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 40));
    rmSync(second);
    await withTape(ledger, sample(9));
    const { stdout, status } = await runs(ledger, ['verify', '--json']);
    expect(status).toBe(1);
    const found = jsonLines<{ level: string; where: string; what: string }>(stdout);
    for (const each of found) expect(runsSchemas['run-finding'].safeParse(each).error).toBeUndefined();
    expect(
      found.map(({ level, what }) => `${level} ${what.replace(/ (\S+\.zst)/, '')}`.slice(0, 40)).toSorted(),
    ).toEqual([
      expect.stringMatching(/^problem its tape is damaged/),
      'warning its tape is gone',
      'warning the tape has no run in this ledg',
    ]);
    expect((await runs(ledger, ['verify'])).stdout).toMatch(/^problem: \w{26}: its tape is damaged/m);
  });

  it.each([
    [
      'is damaged',
      (path: string) => writeFileSync(path, readFileSync(path).fill(0x5a, 200, 240)),
      /is damaged: it cannot be decompressed/,
    ],
    ['stops early', (path: string) => truncateSync(path, 60), /is damaged: it stops before the end of the run/],
  ])('is not needed to tell that the tape of a success %s', async (_title, damage, words) => {
    const { ledger, paths } = await filled();
    damage(paths[0] ?? '');
    const { id = '' } = (await exported(ledger)).find(({ key }) => key === 'sample-1') ?? {};
    for (const to of ['runwire', 'text']) {
      const { status, stdout, stderr } = await runs(ledger, ['tail', id, '--to', to]);
      expect({ status, invents: /incomplete|thread\.completed/.test(stdout) }).toEqual({ status: 1, invents: false });
      expect(stderr).toMatch(words);
      expect(stderr).toMatch(/its outcome \(success\) is the one in the ledger/);
    }
  });

  it('is what a damaged run is left to: the others are exported', async () => {
    const { ledger } = await filled();
    const all = await exported(ledger);
    const { id = '' } = all[1] ?? {};
    const database = new DatabaseSync(ledger);
    database.exec(`update documents set outcome = '{"half' where seq = (select seq from runs where id = '${id}')`);
    database.close();
    const { status, stdout, stderr } = await runs(ledger, ['export']);
    expect({ status, ids: jsonLines<{ id: string }>(stdout).map((run) => run.id) }).toEqual({
      status: 1,
      ids: all.flatMap((run) => (run.id === id ? [] : [run.id])),
    });
    expect(stderr).toMatch(
      new RegExp(`^runwire: left out: the run ${id} is damaged in the ledger and cannot be read: .*runs verify"\n$`),
    );
    expect(await runs(ledger, ['show', id])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^runwire: the run \w+ is damaged/) as string,
    });
  });

  it('takes a tape that stops early for a warning', async () => {
    const { ledger, paths } = await filled();
    truncateSync(paths[0] ?? '', 60);
    expect(await runs(ledger, ['verify'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('stops before the end') as string,
    });
    expect((await runs(ledger, ['verify', '--strict'])).status).toBe(1);
  });

  it('finds a ledger that is damaged', async () => {
    const { ledger } = await filled();
    const bytes = readFileSync(ledger);
    writeFileSync(ledger, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 5)]));
    expect(await runs(ledger, ['verify'])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^problem: .*malformed/m) as string,
    });
    expect(await runs(ledger, ['list'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('runs verify') as string,
    });
  });
});

describe('commands under a command', () => {
  it.each([
    [['runs', '--help'], 0, /^runwire runs: .*Commands:\n {2}list .*\n {2}verify /s],
    [['help', 'runs', 'diff'], 0, /^runwire runs diff: /],
    [['runs', 'show', '-h'], 0, /^runwire runs show: .*Usage: runwire runs show \[OPTIONS\] ID\n/s],
  ])('%j', async (args, status, words) => {
    expect(await runwire(args)).toMatchObject({ status, stdout: expect.stringMatching(words) as string });
  });

  it('are told apart from misspelt ones', async () => {
    expect(await runwire(['runs', 'sho'])).toMatchObject({
      status: 2,
      stderr: 'runwire: unknown command "runs sho" (did you mean "show"?); see "runwire runs --help"\n',
    });
    expect(await runwire(['runs', 'show', '--colour'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown option --colour') as string,
    });
  });

  it('have a table that tells what they tell', async () => {
    for (const entry of group.subcommands ?? []) {
      const { name, summary } = await entry.load();
      expect({ name, summary }).toEqual({ name: `runs ${entry.name}`, summary: entry.summary });
    }
  });

  it('have schemas', async () => {
    for (const name of Object.keys(runsSchemas)) {
      expect(JSON.parse((await runwire(['schema', name])).stdout)).toMatchObject({
        $id: `runwire:${name}`,
        type: 'object',
      });
    }
  });
});
