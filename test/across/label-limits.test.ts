import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../../src/index.ts';
import { openLedgerAt } from '../../src/ledger/ledger.ts';
import { importRuns, runsAt } from '../../src/ledger/import.ts';
import { ReportedRuns } from '../../src/ledger/report.ts';
import { Failure } from '../../src/failure.ts';
import { RunSpec } from '../../src/contract/spec.ts';
import { RunStatements } from '../../src/stores/run-statements.ts';
import type { Database } from '../../src/stores/database.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { inside } from '../cli/run/live.ts';
import { collect } from '../server/serving.ts';
import { newRun, noon, outcomeWith } from '../stores/support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-labels-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));
const flags = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]);

/** Labels that no run may have, and what is said of them. */
const tooMuch: readonly (readonly [labels: Readonly<Record<string, string>>, said: string])[] = [
  [many(101), '101 labels; a run has at most 100'],
  [{ ['k'.repeat(201)]: 'x' }, 'the name of a label has at most 200 characters'],
  [{ team: 'x'.repeat(501) }, 'the label team is too long; at most 500 characters'],
];
const justRight = { ...many(98), ['k'.repeat(200)]: 'x', team: 'x'.repeat(500) };

describe.each(tooMuch)('labels beyond the limit, %#', (labels, said) => {
  it.each([
    ['run', ['run', '--', 'true']],
    ['runs import', ['runs', 'import', 'a.txt']],
    ['runs list', ['runs', 'list']],
    ['enqueue', ['enqueue', '-p', 'x', '--ledger', 'postgres://localhost:1/x']],
  ])('are refused by %s', async (_name, args) => {
    const [first = '', second = '', ...rest] = args;
    const words =
      first === 'runs' ? [first, second, ...flags(labels), ...rest] : [first, ...flags(labels), second, ...rest];
    const { status, stderr } = await inside(words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`--label: ${said}`)]);
  });

  it('are refused in a file for the queue', async () => {
    const { status, stderr } = await inside(['enqueue', '--ledger', 'postgres://localhost:1/x', '-'], {
      stdin: `${JSON.stringify({ prompt: 'x', labels })}\n`,
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('are refused by the library', async () => {
    await expect((async () => run({ prompt: 'x', labels }))()).rejects.toThrow(said);
  });

  it('are refused by a worker', () => {
    const { error } = RunSpec.shape.labels.safeParse(labels);
    expect(error?.issues).toMatchObject([{ message: said }]);
  });

  it('are refused in a report, beyond what the sender adds itself', async () => {
    const ledger = await openLedgerAt({ kind: 'sqlite', path: join(folder, 'none.db') }, { XDG_STATE_HOME: folder });
    const all = Object.keys(labels).length > 1 ? many(201) : labels;
    const meta = { started_at: noon, prompt: '', host: 'h', pid: 1, labels: all };
    const sent = new ReportedRuns(ledger, () => noon).accept(
      newRunId(noon),
      JSON.stringify({ meta, after: 0 }),
      'name:a',
    );
    await expect(sent).rejects.toThrow(
      new Failure('input', `line 1: meta.labels: ${said.replace('101', '201').replace('100', '200')}`),
    );
    await ledger.store.close();
  });
});

it('labels within the limit are taken', async () => {
  const { status } = await inside(['run', '-q', ...flags(justRight), '--', 'true'], {
    env: { XDG_STATE_HOME: folder },
  });
  expect(status).not.toBe(2);
  expect(RunSpec.shape.labels.safeParse(justRight).success).toBe(true);
});

it('of an export with more, the first are kept, and it is noted', async () => {
  const [from, to] = [await openSqlite(':memory:'), await openSqlite(':memory:')];
  await from.put({
    id: newRunId(noon),
    key: 'k',
    started_at: noon,
    ended_at: noon,
    labels: {},
    outcome: outcomeWith(),
  });
  const [exported] = await collect(from.export({}));
  const path = join(folder, 'export.jsonl');
  writeFileSync(path, `${JSON.stringify({ ...exported, labels: { ...many(1000), long: 'x'.repeat(9999) } })}\n`);
  await collect(importRuns(to, runsAt(path), { labels: { team: 'mine' } }));
  const [kept] = await collect(to.export({}));
  expect([Object.keys(kept?.labels ?? {}).length, kept?.labels['team'], kept?.outcome?.provenance.notes]).toEqual([
    200,
    'mine',
    [{ kind: 'lost', what: '802 labels are left out: a run has at most 200', count: 1 }],
  ]);
  await from.close();
  await to.close();
});

it('no label is added to a run that has as many as a list shows', async () => {
  const store = await openSqlite(':memory:');
  const full = newRun({ labels: many(300) });
  await store.begin(full);
  await store.addLabels(full.id, { more: 'x' });
  expect(Object.keys((await store.get(full.id))?.labels ?? {})).toHaveLength(200);
  await store.close();
});

it('a server gets the labels and the files of a run in a few statements, whatever their number', () => {
  const rows = new RunStatements({ kind: 'postgres', prefix: '', rights: {} } as Database);
  const artifacts = Array.from({ length: 1000 }, (_, index) => ({
    path: `f${index}`,
    operation: 'created' as const,
    type: 'file',
  }));
  expect(rows.labels('r', many(20_000))).toHaveLength(1);
  expect(rows.figures('r', outcomeWith({ artifacts } as never))).toHaveLength(3);
});
