import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsSchemas } from '../../../src/ledger/schemas.ts';
import { loadPrices } from '../../../src/outcome/price-table.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { Reader } from '../../../src/pipeline/reader.ts';
import { runwire } from '../../support/command.ts';
import { loadRecording, scenariosOf } from '../../support/recordings.ts';
import { isSweep } from '../../support/sweep.ts';
import { exported, fill, jsonLines, newLedger, runs, runsProgram, sample, temporary } from './ledger.ts';

const recordings = join(import.meta.dirname, '..', '..', 'recordings');
/** Some of them; all in `npm run test:sweeps`. */
const folders = readdirSync(recordings).filter((_, index) => isSweep || index % 16 === 1);
const all = folders.flatMap((folder) => scenariosOf(folder).map((scenario) => [folder, scenario] as const));
const verdictsOf = (outcomes: readonly (RunOutcome | undefined)[]): string[] =>
  outcomes
    .map((outcome) => JSON.stringify([outcome?.verdict, outcome?.message, outcome?.provenance.dialect]))
    .toSorted();

describe('the recordings', () => {
  it('are there once, however often they are imported, with the verdicts of "runwire outcome"', async () => {
    const ledger = newLedger();
    const places = folders.map((folder) => join(recordings, folder));
    const first = await runsProgram(ledger, ['import', ...places]);
    expect({ status: first.status, stderr: first.stderr }).toEqual({
      status: 0,
      stderr: `runwire: ${all.length} runs added\n`,
    });
    const once = (await runsProgram(ledger, ['export'])).stdout;
    const again = await runsProgram(ledger, ['import', ...places]);
    expect(again.stderr).toBe(`runwire: 0 runs added, ${all.length} there before\n`);
    expect((await runsProgram(ledger, ['export'])).stdout).toBe(once);

    const price = await loadPrices();
    const judged = all.map(([folder, scenario]) => {
      const { stdout, stderr, exit } = loadRecording(folder, scenario);
      const reader = new Reader();
      reader.stdout(stdout);
      reader.stderr(stderr);
      return reader.end(exit, price);
    });
    const kept = jsonLines<{ outcome: RunOutcome }>(once).map(({ outcome }) => outcome);
    expect(verdictsOf(kept)).toEqual(verdictsOf(judged));
  });

  it('are judged as the command judges them', async () => {
    for (const [folder, scenario] of all.filter((_, index) => index % (isSweep ? 100 : 50) === 0)) {
      const ledger = newLedger();
      const home = join(recordings, folder, scenario);
      await runs(ledger, ['import', home]);
      const { exit } = loadRecording(folder, scenario);
      const end = exit.signal ?? String(exit.exit_code);
      const { stdout } = await runwire([
        'outcome',
        '--stderr',
        join(home, 'stderr.txt'),
        '--process-exit',
        end,
        join(home, 'stdout.jsonl'),
      ]);
      const [run] = await exported(ledger);
      expect(run?.outcome?.verdict).toEqual((JSON.parse(stdout) as RunOutcome).verdict);
    }
  });

  it('can be read like any other run, unless --no-tape says otherwise', async () => {
    const place = join(recordings, 'codex@0.166.0', 'error-429-always');
    const ledger = newLedger();
    await runs(ledger, ['import', place]);
    const [run] = await exported(ledger);
    const tail = await runs(ledger, ['tail', 'last', '--to', 'runwire']);
    const records = jsonLines<{ type: string; sequence: number }>(tail.stdout);
    expect(records.length).toBe(run?.last_sequence);
    expect(records.at(-1)?.type).toBe('thread.completed');
    expect(await runs(ledger, ['verify'])).toMatchObject({ status: 0 });
    // Again is the same, and the tape is still there.
    await runs(ledger, ['import', place]);
    expect((await runs(ledger, ['tail', 'last', '--to', 'runwire'])).stdout).toBe(tail.stdout);
    const bare = newLedger();
    await runs(bare, ['import', '--no-tape', place]);
    const [untaped] = await exported(bare);
    expect([untaped?.tape, untaped?.outcome]).toEqual([undefined, run?.outcome]);
    expect((await runs(bare, ['tail', 'last'])).stderr).toContain('has no tape');
  });

  it('go from one ledger to another and stay the same', async () => {
    const [from, to] = [newLedger(), newLedger()];
    await runs(from, ['import', join(recordings, 'codex@0.166.0'), '--label', 'job=nightly']);
    const { stdout } = await runs(from, ['export']);
    const { status } = await runs(to, ['import', '-'], { stdin: stdout });
    expect(status).toBe(0);
    expect((await runs(to, ['export'])).stdout).toBe(stdout);
    for (const run of jsonLines(stdout)) expect(runsSchemas.run.safeParse(run).error).toBeUndefined();
    expect((await runs(to, ['import', '-'], { stdin: stdout })).stderr).toContain('0 runs added');
    expect((await runs(to, ['list', '--label', 'job=nightly', '-n', '0'])).stdout.split('\n')).toHaveLength(29);
  });
});

it('names the one broken file of many, and takes the others', async () => {
  const folder = temporary();
  const count = isSweep ? 300 : 60;
  const lines = (number: number): string =>
    [
      { type: 'thread.started', thread_id: `thread-${number}` },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `Done ${number}` } },
      { type: 'turn.completed', usage: { input_tokens: number, cached_input_tokens: 0, output_tokens: 1 } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  for (let number = 0; number < count; number += 1) writeFileSync(join(folder, `run-${number}.jsonl`), lines(number));
  writeFileSync(join(folder, 'run-17.jsonl'), Buffer.from([0, 159, 146, 150, 10, 1, 2, 3]));
  const ledger = newLedger();
  const { stderr, status } = await runs(ledger, ['import', folder]);
  expect(status).toBe(2);
  expect(stderr.split('\n')).toEqual([
    `runwire: ${join(folder, 'run-17.jsonl')}: no known dialect in it; name one with --from (see "runwire dialects")`,
    `runwire: ${count - 1} runs added, 1 broken`,
    '',
  ]);
  expect((await runs(ledger, ['list', '-n', '0'])).stdout.split('\n')).toHaveLength(count);
});

it('reads a single file with its evidence, and tapes', async () => {
  const ledger = newLedger();
  const home = join(recordings, 'codex@0.166.0', 'plain');
  const file = join(home, 'stdout.jsonl');
  await runs(ledger, ['import', file, '--process-exit', 'SIGTERM', '--stderr', join(home, 'stderr.txt')]);
  const [cut] = await exported(ledger);
  expect(cut?.outcome?.verdict.evidence).toContainEqual({
    signal: 'process',
    detail: expect.stringContaining('SIGTERM') as string,
  });
  const tape = join(temporary(), 'run.tape');
  writeFileSync(tape, (await runwire(['convert', '--to', 'runwire', file])).stdout);
  const other = newLedger();
  expect((await runs(other, ['import', tape])).status).toBe(0);
  expect((await exported(other))[0]).toMatchObject({ status: 'success', agent: 'codex' });
});

it('takes the rest when a file or folder is not there', async () => {
  const ledger = newLedger();
  const { stderr, status } = await runs(ledger, [
    'import',
    'no-such-folder',
    join(recordings, 'codex@0.166.0', 'plain'),
  ]);
  expect({ stderr, status }).toEqual({
    stderr: expect.stringMatching(/^runwire: no-such-folder: ENOENT.*\nrunwire: 1 run added, 1 broken\n$/) as string,
    status: 2,
  });
  expect(await exported(ledger)).toHaveLength(1);
});

it('refuses what is not there, and a flag that fits one file alone', async () => {
  expect(await runs(newLedger(), ['import', 'no-such-folder'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no-such-folder') as string,
  });
  expect(await runs(newLedger(), ['import'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('name files or folders') as string,
  });
  expect(await runs(newLedger(), ['import', 'a', 'b', '--process-exit', '1'])).toMatchObject({ status: 2 });
});

it('tells a damaged export by its line', async () => {
  const from = newLedger();
  await fill(from, [sample(1), sample(2)]);
  const lines = (await runs(from, ['export'])).stdout.split('\n');
  const file = join(temporary(), 'runs.jsonl');
  writeFileSync(file, [lines[0], '{"id":1}', '{"id":', lines[1]].join('\n'));
  const { stderr, status } = await runs(newLedger(), ['import', file]);
  expect(status).toBe(2);
  expect(stderr).toContain(`${file}:2: not a run: id:`);
  expect(stderr).toMatch(/2 runs added, \d broken/);
});

it('finds recordings in folders of folders and leaves other files alone', async () => {
  const folder = temporary();
  cpSync(join(recordings, 'codex@0.166.0', 'plain'), join(folder, 'a', 'b'), { recursive: true });
  mkdirSync(join(folder, 'c'));
  writeFileSync(join(folder, 'c', 'settings.json'), '{}');
  writeFileSync(join(folder, 'notes.txt'), 'nothing');
  expect(await runs(newLedger(), ['import', folder])).toMatchObject({ status: 0, stderr: 'runwire: 1 run added\n' });
});
