import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { LedgerSink } from '../../src/run/sinks/ledger.ts';
import { isGone, silenceMs, thisProcess } from '../../src/stores/owner.ts';
import { newRunId } from '../../src/stores/run-id.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { pruneTapes, tapesIn } from '../../src/stores/tape-pruning.ts';
import { readTape, type TapeEnd, tapePath, TapeWriter } from '../../src/stores/tapes.ts';
import { perform } from './support/perform.ts';
import { newRun, noon } from './support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-tapes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function recordOf(sequence: number, text = `line ${sequence} \u2028 é`): EventRecord {
  const place = { sequence, timestamp: '2026-11-15T12:00:00.000Z', thread_id: 't', source: 'agent', synthetic: false } as const;
  return { type: 'text.completed', turn_id: 't1', message_id: 'm', block_id: 'b', text, ...place };
}

async function read(path: string): Promise<{ text: string; end: TapeEnd }> {
  const chunks: Uint8Array[] = [];
  for (const tape = readTape(path); ;) {
    const { value, done } = await tape.next();
    if (done === true) return { text: Buffer.concat(chunks).toString(), end: value };
    chunks.push(value);
  }
}

const linesOf = (records: readonly EventRecord[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const sizeOf = (path: string): number => statSync(path).size;
const refuse = (message: string): never => {
  throw new Error(message);
};

describe('a tape', () => {
  it('is in a folder of its month, under the name of its run', () => {
    expect(tapePath('01abc', Date.UTC(2026, 0, 31))).toBe(join('2026', '01', '01abc.tape.zst'));
  });

  it('holds every record, and is smaller than they are', async () => {
    const path = join(folder, 'a', 'whole.tape.zst');
    const tape = new TapeWriter(path, { onTrouble: refuse });
    const records = Array.from({ length: 500 }, (_, index) => recordOf(index + 1));
    for (const record of records) {
      tape.record(record);
      if (record.sequence % 7 === 0) await turn();
    }
    await tape.end();
    tape.record(recordOf(999));
    const { text, end } = await read(path);
    expect(text).toBe(linesOf(records));
    expect(end).toEqual({ kind: 'whole' });
    expect(readFileSync(path).length).toBeLessThan(text.length / 5);
  });

  it('can be read to its last whole line wherever it is cut', async () => {
    const path = join(folder, 'cut.tape.zst');
    const tape = new TapeWriter(path, { onTrouble: refuse });
    const records = Array.from({ length: 60 }, (_, index) => recordOf(index + 1, randomBytes(20).toString('hex')));
    for (const record of records) {
      tape.record(record);
      for (const size = sizeOf(path); sizeOf(path) === size;) await turn();
    }
    await tape.end();
    const all = linesOf(records);
    let longest = 0;
    for (let size = readFileSync(path).length - 1; size > 0; size -= 37) {
      truncateSync(path, size);
      const { text, end } = await read(path);
      expect(all.startsWith(text)).toBe(true);
      expect(end).toEqual({ kind: 'cut' });
      longest = Math.max(longest, text.length);
    }
    expect(longest).toBeGreaterThan(all.length * 0.9);
  });

  it('says that it is broken, after all that can be read', async () => {
    const path = join(folder, 'broken.tape.zst');
    writeFileSync(path, 'no tape at all');
    expect(await read(path)).toEqual({ text: '', end: { kind: 'broken', message: expect.stringMatching(/cannot be decompressed/) } });
  });

  it('is followed while it grows', async () => {
    const path = join(folder, 'live.tape.zst');
    const tape = new TapeWriter(path, { onTrouble: refuse });
    const records = Array.from({ length: 20 }, (_, index) => recordOf(index + 1));
    let told = 0;
    let text = '';
    const more = async (): Promise<boolean> => {
      const next = records[told];
      if (next === undefined) return text.length < linesOf(records).length;
      tape.record(next);
      told += 1;
      await turn();
      return true;
    };
    for await (const bytes of readTape(path, more)) text += Buffer.from(bytes).toString('latin1');
    await tape.end();
    expect(Buffer.from(text, 'latin1').toString()).toBe(linesOf(records));
  });

  it('ends when it is too large, and says so once', async () => {
    const path = join(folder, 'large.tape.zst');
    const trouble: string[] = [];
    const tape = new TapeWriter(path, { maxBytes: 10_000, onTrouble: (message) => trouble.push(message) });
    for (let sequence = 1; sequence < 100; sequence += 1) {
      tape.record(recordOf(sequence, randomBytes(1000).toString('hex')));
      for (const size = sizeOf(path); sizeOf(path) === size && trouble.length === 0;) await turn();
    }
    await tape.end();
    expect(trouble).toEqual([`the tape ${path} stops here: it has reached 10000 bytes`]);
    const { text, end } = await read(path);
    expect(end).toEqual({ kind: 'cut' });
    expect(text.split('\n').length).toBeGreaterThan(3);
  });

  it('does not overwrite another', async () => {
    const path = join(folder, 'taken.tape.zst');
    writeFileSync(path, 'mine');
    const trouble: string[] = [];
    const tape = new TapeWriter(path, { onTrouble: (message) => trouble.push(message) });
    tape.record(recordOf(1));
    await tape.end();
    expect(trouble).toEqual([expect.stringMatching(/EEXIST/)]);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('goes when it is old, or when there are too many, the oldest first', async () => {
    const tapes = join(folder, 'many');
    const paths = Array.from({ length: 6 }, (_, day) => tapePath(newRunId(noon + day * 86_400_000), noon + day * 86_400_000));
    for (const [day, path] of paths.entries()) {
      await mkdir(dirname(join(tapes, path)), { recursive: true });
      appendFileSync(join(tapes, path), 'x'.repeat(1000));
      utimesSync(join(tapes, path), noon / 1000 + day * 86_400, noon / 1000 + day * 86_400);
    }
    expect(await tapesIn(tapes)).toEqual(paths);
    expect(await pruneTapes(tapes, { olderThan: noon + 1.5 * 86_400_000, keep: new Set(paths.slice(0, 1)) })).toEqual(paths.slice(1, 2));
    expect(await pruneTapes(tapes, { maxTotalBytes: 3000 })).toEqual([paths[0], paths[2]]);
    expect(await tapesIn(tapes)).toEqual(paths.slice(3));
    expect(await tapesIn(join(folder, 'nowhere'))).toEqual([]);
  });
});

describe('a run that nobody ended', () => {
  const self = thisProcess();
  it.each([
    ['is going on here', self, 0, false],
    ['has been silent, but its process is there', self, 2 * silenceMs, false],
    ['has a process number that another one has now', { ...self, process_started: '1' }, 0, true],
    ['has no process', { ...self, pid: 4_190_000 }, 0, true],
    ['was here before the machine started again', { ...self, boot: `other ${self.boot.split(' ')[1]}` }, 0, true],
    ['is in a container beside us', { ...self, boot: `${self.boot.split(' ')[0]} pid:[1]`, pid: 4_190_000 }, 0, false],
    ['was in a container beside us', { ...self, boot: `${self.boot.split(' ')[0]} pid:[1]` }, 2 * silenceMs, true],
    ['is on another machine', { ...self, host: 'other', pid: 4_190_000 }, 0, false],
    ['has long been silent on another machine', { ...self, host: 'other' }, 2 * silenceMs, true],
  ])('%s', (_name, owner, silence, gone) => {
    expect(isGone({ owner, heartbeat_at: noon }, noon + silence)).toBe(gone);
  });

  it('is ended from its tape with all that it received', async () => {
    const store = await openSqlite(join(folder, 'interrupted.db'));
    const gone = { ...self, pid: 4_190_000 };
    const tapes = join(folder, 'interrupted');
    const writer = { begin: store.begin.bind(store), note: store.note.bind(store), finish: async () => {}, close: async () => {} };
    const sink = new LedgerSink({
      open: async () => ({ ...writer, begin: (run) => store.begin({ ...run, owner: gone }) }),
      clock: Date.now,
      warn: refuse,
      tapes: { folder: tapes },
    });
    const outcome = await perform(sink, { steps: 3, between: async () => {} });
    await store.begin(newRun({ owner: gone, tape: 'nowhere.tape.zst' }));
    await store.begin(newRun({ owner: gone }));
    await store.begin(newRun({ started_at: noon - 1 }));
    const closed = await closeInterrupted(store, { tapesFolder: tapes, now: Date.now() });
    expect(closed).toHaveLength(3);
    const run = await store.get(sink.id);
    expect(run).toMatchObject({ status: 'success', agent: 'counter', outcome: { message: 'step 3', session_id: 's-9' } });
    expect(run?.outcome?.metrics).toMatchObject({ turns: outcome.metrics.turns });
    expect(run?.outcome?.verdict.evidence.at(-1)).toEqual({ signal: 'ledger', detail: 'the process that ran it is gone' });
    for (const id of closed.filter((each) => each !== sink.id))
      expect(await store.get(id)).toMatchObject({ status: 'incomplete', exit_code: 8, prompt: 'Fix the parser' });
    expect((await store.open()).map(({ started_at }) => started_at)).toEqual([noon - 1]);
    expect(await closeInterrupted(store, { tapesFolder: tapes, now: Date.now() })).toEqual([]);
    await store.close();
  });
});
