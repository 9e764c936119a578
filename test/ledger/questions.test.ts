import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { compareRuns } from '../../src/ledger/diff.ts';
import { exportRuns } from '../../src/ledger/export.ts';
import { findRun } from '../../src/ledger/find.ts';
import { type Imported, importRuns, runsAt } from '../../src/ledger/import.ts';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { pruneRuns } from '../../src/ledger/prune.ts';
import { tapeOf } from '../../src/ledger/run-tape.ts';
import { statsBy } from '../../src/ledger/stats.ts';
import { nextRun, runRecords } from '../../src/ledger/tail.ts';
import { recordsIn, type TapedRecord } from '../../src/ledger/tape-check.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { readTimeline } from '../../src/ledger/timeline.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { shortRunId } from '../../src/ids/run-id.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import type { Tape } from '../../src/tapes/tape.ts';
import { perform } from '../stores/support/perform.ts';
import { newRun } from '../stores/support/runs.ts';
import { ledgerSink } from '../stores/support/sink.ts';
import { drained } from '../support/drained.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-questions-'));
const opened: Ledger[] = [];
afterAll(async () => {
  for (const { store } of opened) await store.close();
  rmSync(root, { recursive: true, force: true });
});
let folder: string;
let ledger: Ledger;
beforeEach(async () => {
  folder = mkdtempSync(join(root, 'case-'));
  ledger = await openLedgerAt({ kind: 'sqlite', path: join(folder, 'ledger.db') }, {});
  opened.push(ledger);
});

const refuse = (message: string): never => {
  throw new Error(message);
};
/** A run of some steps; answers its id. */
async function ran(steps: number): Promise<string> {
  const sink = ledgerSink({ folder, warn: refuse });
  await perform(sink, { steps, between: async () => {} });
  return sink.id;
}
async function recordOf(word: string): Promise<RunRecord> {
  const found = await findRun(ledger.store, word);
  if (found.kind !== 'run') throw new Error(found.kind);
  return found.run;
}
async function tapeFor(run: RunRecord) {
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) throw new Error(found.missing);
  return found.tape;
}
async function allRecords<End>(
  records: AsyncGenerator<readonly TapedRecord[], End>,
): Promise<{ values: EventRecord[]; end: End }> {
  const { values, end } = await drained(records);
  return { values: values.flat().map(({ record }) => record), end };
}

describe('finding', () => {
  it('answers what a word means, and says nothing to anybody', async () => {
    const { store } = ledger;
    expect(await findRun(store, 'last')).toEqual({ kind: 'none' });
    const id = await ran(1);
    expect(await findRun(store, shortRunId(id))).toMatchObject({ kind: 'run', run: { id, prompt: 'Count the steps' } });
    expect(await findRun(store, 'nothing')).toEqual({ kind: 'none' });
    for (let index = 0; index < 200; index += 1) await store.begin(newRun());
    const ambiguous = await Promise.all(Array.from('0123456789abcdef', (letter) => findRun(store, letter)));
    expect(ambiguous.some(({ kind }) => kind === 'ambiguous')).toBe(true);
  });
});

describe('following', () => {
  it('tells a run that has ended, from any sequence on, and its outcome', async () => {
    const run = await recordOf(await ran(4));
    const tape = await tapeFor(run);
    const whole = await allRecords(runRecords(ledger, run, tape));
    expect(whole.values.at(-1)?.type).toBe('thread.completed');
    expect(whole.end).toMatchObject({ status: 'success', message: 'step 4' });
    for (const after of [1, 5, 9, 100]) {
      const { values, end } = await allRecords(runRecords(ledger, run, tape, { after }));
      expect(values).toEqual(whole.values.filter(({ sequence }) => sequence > after));
      expect(end).toEqual(whole.end);
    }
  });

  it('tells a run as it happens, to its end', async () => {
    const sink = ledgerSink({ folder, warn: refuse });
    const waiting = {
      now: Date.now,
      sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms / 10)),
    };
    const found = nextRun(ledger.store, undefined, waiting);
    const heard: EventRecord[] = [];
    let following: Promise<RunOutcome | undefined> | undefined;
    const news: (() => void)[] = [];
    async function follow(): Promise<RunOutcome | undefined> {
      const run = await found;
      const records = runRecords(ledger, run, await tapeFor(await recordOf(run.id)), { follow: waiting });
      for (;;) {
        const next = await records.next();
        if (next.done === true) return next.value;
        heard.push(...recordsIn(next.value));
        for (const wake of news.splice(0)) wake();
      }
    }
    await perform(sink, {
      steps: 3,
      async between(step) {
        following ??= follow();
        const isHeard = (): boolean =>
          heard.some((record) => record.type === 'text.completed' && record.text === `step ${step}`);
        while (!isHeard()) await new Promise<void>((resolve) => void news.push(resolve));
      },
    });
    expect(await following).toMatchObject({ status: 'success', message: 'step 3' });
    expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1));
  });

  it('does not invent the end of a run that goes on', async () => {
    const sink = ledgerSink({ folder, warn: refuse });
    let seen: { values: EventRecord[]; end: RunOutcome | undefined } | undefined;
    await perform(sink, {
      steps: 1,
      async between() {
        const run = await nextRun(ledger.store, undefined, {
          sleep: () => new Promise<void>((resolve) => void setTimeout(resolve, 5)),
        });
        while ((seen?.values.length ?? 0) < 4)
          seen = await allRecords(runRecords(ledger, run, await tapeFor(await recordOf(run.id))));
      },
    });
    expect(seen?.end).toBeUndefined();
    expect(seen?.values.at(-1)?.type).toBe('text.completed');
  });
});

describe('a tape', () => {
  /** The lines of a run, and a way to read them that tells from where the tape was read. */
  async function taped(change: (lines: string[]) => string[] = (lines) => lines) {
    const run = await recordOf(await ran(3));
    const path = join(ledger.tapes.name, run.tape ?? '');
    const lines = zstdDecompressSync(readFileSync(path)).toString().trimEnd().split('\n');
    const written = change(lines);
    if (written !== lines) writeFileSync(path, zstdCompressSync(Buffer.from(`${written.join('\n')}\n`)));
    const tape = await tapeFor(run);
    const reads: number[] = [];
    const follow: Tape['follow'] = (more, after = 0) => {
      reads.push(after);
      return tape.follow(more, after);
    };
    return { lines, reads, read: (after = 0) => drained(runRecords(ledger, run, { ...tape, follow }, { after })) };
  }
  const typesOf = (values: readonly (readonly TapedRecord[])[]) => values.flat().map(({ record }) => record.type);
  const edited = (line: string | undefined, change: object): string =>
    JSON.stringify({ ...(JSON.parse(line ?? '') as object), ...change });

  it('is passed on as it stands, and read once, from where the reader was', async () => {
    const { lines, reads, read } = await taped();
    for (const after of [0, 1, 5, lines.length - 1, lines.length]) {
      const { values, end } = await read(after);
      expect(values.flat().map(({ json }) => json)).toEqual(lines.slice(after));
      expect(end).toMatchObject({ status: 'success', message: 'step 3' });
    }
    expect(reads).toEqual([0, 0, 4, lines.length - 2, lines.length - 1]);
  });

  it('that was cut has an end all the same', async () => {
    const { lines, reads, read } = await taped((whole) => whole.slice(0, -3));
    const { values, end } = await read();
    expect(values.flat().map(({ json }) => json)).toEqual([...lines.slice(0, -3), undefined, undefined]);
    expect(typesOf(values).slice(-2)).toEqual(['turn.completed', 'thread.completed']);
    expect(end).toMatchObject({ status: 'incomplete' });
    expect(reads).toEqual([0, 0]);
  });

  it.each<[title: string, claim: object]>([
    ['says that it was stopped', { status: 'cancelled' }],
    ['says that it failed', { verdict: { class: 'provider', exit_code: 4, evidence: [] } }],
    ['has an outcome that is none', { final_report: { verdict: 'success' } }],
  ])('whose end %s, which the ledger does not, is judged by what happened', async (_title, claim) => {
    const { values, end } = await (await taped((lines) => [...lines.slice(0, -1), edited(lines.at(-1), claim)])).read();
    expect(values.flat().at(-1)?.record).toMatchObject({
      type: 'thread.completed',
      status: 'success',
      verdict: { class: 'success', exit_code: 0 },
    });
    expect(end).toMatchObject({ status: 'success', message: 'step 3' });
  });

  it('with a line that is no record is repaired from there on', async () => {
    const { lines, read } = await taped((whole) => whole.with(4, edited(whole[4], { html: 1, type: 'text.begun' })));
    const { values, end } = await read();
    expect(values.flat().flatMap(({ json }) => json ?? [])).toEqual(lines.slice(0, 4));
    const texts = ['line.unknown', 'text.delta', 'text.completed', 'text.delta', 'text.completed'];
    expect(typesOf(values).slice(4)).toEqual([...texts, 'agent.finished', 'turn.completed', 'thread.completed']);
    expect(values.flat().map(({ record }) => record.sequence)).toEqual(typesOf(values).map((_, index) => index + 1));
    expect(end).toMatchObject({ status: 'success', message: 'step 3' });
  });
});

describe('importing', () => {
  const codex = (text: string): string =>
    [
      { type: 'thread.started', thread_id: 'thread-1' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
      { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');

  it('answers what became of every source', async () => {
    writeFileSync(join(folder, 'a.jsonl'), codex('one'));
    writeFileSync(join(folder, 'b.jsonl'), 'nothing that we know\n');
    writeFileSync(join(folder, 'c.jsonl'), '');
    const told = async (): Promise<Imported[]> =>
      (await drained(importRuns(ledger.store, runsAt(folder), { labels: { job: 'x' } }))).values;
    const first = await told();
    expect(first).toEqual([
      { kind: 'added', name: join(folder, 'a.jsonl'), id: expect.any(String) as string },
      { kind: 'broken', name: join(folder, 'b.jsonl'), why: 'no known dialect in it', unknownDialect: true },
      { kind: 'broken', name: join(folder, 'c.jsonl'), why: 'it is empty' },
    ]);
    expect((await told()).map(({ kind }) => kind)).toEqual(['same', 'broken', 'broken']);
    expect(await recordOf('last')).toMatchObject({ outcome: { message: 'one' }, labels: { job: 'x' } });
  });

  it('takes back what it exported, once, also as a tape', async () => {
    const id = await ran(2);
    const lines = (await drained(exportRuns(ledger.store.export({}), 'json'))).values.join('');
    const other = await openLedgerAt({ kind: 'sqlite', path: join(folder, 'other', 'ledger.db') }, {});
    opened.push(other);
    async function* source() {
      yield {
        name: 'export',
        at: 0,
        stdout: async function* () {
          yield Buffer.from(lines);
        },
      };
    }
    expect((await drained(importRuns(other.store, source()))).values).toEqual([{ kind: 'added', name: 'export', id }]);
    expect((await drained(exportRuns(other.store.export({}), 'csv'))).values).toHaveLength(2);
    const { tape } = await recordOf(id);
    const [played] = (await drained(importRuns(other.store, runsAt(join(folder, 'tapes', tape ?? ''))))).values;
    expect(played).toMatchObject({ kind: 'same', id });
  });
});

it('verifies and prunes as data', async () => {
  const ids = [await ran(1), await ran(2), await ran(3)];
  expect(await drained(verifyLedger(ledger))).toEqual({ values: [], end: { runs: 3, tapes: 3, unsealed: 0 } });
  const [first] = ids;
  const run = await recordOf(first ?? '');
  truncateSync(join(folder, 'tapes', run.tape ?? ''), 30);
  const { values } = await drained(verifyLedger(ledger));
  expect(values).toEqual([
    { level: 'problem', where: run.id, what: 'its tape is damaged: it is not what was written' },
  ]);
  expect(await pruneRuns(ledger, { filter: {}, keep: 3 })).toMatchObject({ runs: 0, tapes: 0 });
  expect(await pruneRuns(ledger, { filter: {}, keep: 4 })).toBeUndefined();
  expect(await pruneRuns(ledger, { filter: {}, keep: 2, dryRun: true })).toMatchObject({
    runs: 1,
    tapes: 1,
    tapeBytes: 30,
  });
  expect(await ledger.store.count({})).toBe(3);
  expect(await pruneRuns(ledger, { filter: {}, tapesOnly: true })).toMatchObject({ runs: 3, tapes: 3 });
  expect((await drained(verifyLedger(ledger))).values.map(({ what }) => what.replace(/ \S+ is/, ' is'))).toEqual(
    ids.map(() => 'its tape is gone'),
  );
  expect(await pruneRuns(ledger, { filter: {} })).toMatchObject({ runs: 3, tapes: 0 });
});

it('a timeline begins with the earliest event, also where clocks differ', async () => {
  const tape = ledger.tapes.create(newRunId(0), 0).tape;
  const writer = tape.write({ onTrouble: (message) => expect(message).toBe('') });
  const said = { thread_id: 't', source: 'agent', synthetic: false } as const;
  const at = (second: number): string => new Date(1e12 + second * 1000).toISOString();
  writer.record({ ...said, type: 'thread.started', sequence: 1, timestamp: at(100) });
  writer.record({
    ...said,
    type: 'item.started',
    item_id: 'a',
    turn_id: 't',
    kind: 'read',
    name: 'read',
    args: {},
    sequence: 2,
    timestamp: at(2),
  });
  writer.record({
    ...said,
    type: 'item.completed',
    item_id: 'a',
    status: 'success',
    output: '',
    sequence: 3,
    timestamp: at(5),
  });
  await writer.end();
  expect(await readTimeline(tape)).toEqual({
    entries: [{ name: 'read', status: 'success', start_ms: 0, duration_ms: 3000 }],
    length_ms: 98_000,
    omitted: 0,
  });
});

it('compares, counts and draws nothing', async () => {
  const [a, b] = [await recordOf(await ran(1)), await recordOf(await ran(2))];
  expect(compareRuns(a, a)).toMatchObject({ same_class: true, fields: [] });
  expect(compareRuns(a, b).answer).toEqual([
    { kind: 'removed', value: ['step 1'] },
    { kind: 'added', value: ['step 2'] },
  ]);
  expect(await statsBy(ledger.store, { label: 'team' }, {})).toMatchObject([
    { by: 'label:team', runs: 2, success_rate: 1 },
  ]);
  expect(await readTimeline(await tapeFor(a))).toMatchObject({ entries: [], omitted: 0 });
});
