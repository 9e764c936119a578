import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { fileTape } from '../../src/tapes/file-tape.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { isGone, silenceMs, thisProcess } from '../../src/processes/owner.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import { streamOf, type Tape, type TapeEnd } from '../../src/tapes/tape.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { noon } from '../stores/support/runs.ts';
import { linesOf, recordOf, recordsOf } from './support/tape-records.ts';

const folders = mkdtempSync(join(tmpdir(), 'runwire-tapes-'));
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(folders, 'tapes-'))));
afterAll(() => rmSync(folders, { recursive: true, force: true }));

/** What a tape yields; each piece of it ends with a line. */
async function read(tape: Tape, after?: number): Promise<{ text: string; end: TapeEnd }> {
  const chunks: Uint8Array[] = [];
  for (const lines = tape.read(after); ;) {
    const { value, done } = await lines.next();
    if (done === true) return { text: Buffer.concat(chunks).toString(), end: value };
    expect(value.at(-1)).toBe(10);
    chunks.push(new Uint8Array(value));
  }
}

async function written(path: string, records: readonly EventRecord[]): Promise<Tape> {
  const tape = fileTape(path);
  const writer = tape.write({ onTrouble: refuse });
  for (const record of records) writer.record(record);
  await writer.end();
  return tape;
}

const sizeOf = (path: string): number => statSync(path).size;
const refuse = (message: string): never => {
  throw new Error(message);
};

describe.each(['tape', 'tape.zst'])('a tape called *.%s', (extension) => {
  it('holds every record', async () => {
    const path = join(folder, `whole.${extension}`);
    const tape = fileTape(path);
    const writer = tape.write({ onTrouble: refuse });
    const records = recordsOf(500);
    for (const record of records) {
      writer.record(record);
      if (record.sequence % 7 === 0) await turn();
    }
    await writer.end();
    writer.record(recordOf(999));
    await writer.end();
    expect(await read(tape)).toEqual({ text: linesOf(records), end: { kind: 'whole' } });
    expect(await tape.size()).toBe(sizeOf(path));
    if (extension === 'tape.zst') expect(sizeOf(path)).toBeLessThan(linesOf(records).length / 5);
  });

  it.each([
    ['a short', ''],
    ['a long', 'x'.repeat(2000)],
    ['a very long', 'x'.repeat(100_000)],
  ])('is read from where a reader stopped: %s one', async (_title, text) => {
    const records = recordsOf(200, () => text).map((record, index) => ({ ...record, sequence: index * 3 + 1 }));
    const tape = await written(join(folder, `after.${extension}`), records);
    for (const after of [0, 1, 2, 3, 4, 299, 597, 598, 1000])
      expect(await read(tape, after)).toEqual({
        text: linesOf(records.filter(({ sequence }) => sequence > after)),
        end: { kind: 'whole' },
      });
  });

  it('can be read to its last whole line wherever it is cut', async () => {
    const path = join(folder, `cut.${extension}`);
    const tape = fileTape(path);
    const writer = tape.write({ onTrouble: refuse });
    const records = recordsOf(60, () => randomBytes(20).toString('hex'));
    for (const record of records) {
      const size = sizeOf(path);
      writer.record(record);
      while (sizeOf(path) === size) await turn();
    }
    await writer.end();
    const all = linesOf(records);
    let longest = 0;
    for (let size = readFileSync(path).length - 1; size > 0; size -= 37) {
      truncateSync(path, size);
      const { text, end } = await read(tape);
      expect(all.startsWith(text)).toBe(true);
      if (extension === 'tape.zst' || size > text.length) expect(end.kind).toBe('cut');
      expect(all.startsWith(text + Buffer.from(end.rest ?? []).toString())).toBe(true);
      longest = Math.max(longest, text.length);
    }
    expect(longest).toBeGreaterThan(all.length * 0.9);
  });

  it('has all that was kept, at whatever moment its writer is killed', async () => {
    const home = join(folder, 'kept');
    mkdirSync(home);
    const name = `run.${extension}`;
    const writer = fileTape(join(home, name)).write({ onTrouble: refuse });
    const records = recordsOf(120, () => randomBytes(20).toString('hex'));
    const kills: { left: string; text: string }[] = [];
    for (const record of records) {
      writer.record(record);
      // Some lines are already with the compressor, or through it, when they are asked for.
      for (let turns = record.sequence % 5; turns > 0; turns -= 1) await turn();
      if (record.sequence % 3 !== 0) continue;
      writer.keep?.();
      const left = join(folder, `kill-${record.sequence}`);
      cpSync(home, left, { recursive: true });
      kills.push({ left, text: linesOf(records.slice(0, record.sequence)) });
    }
    await writer.end();
    expect(readdirSync(home)).toEqual([name]);
    const digests = new Set<string | undefined>();
    for (const { left, text } of kills) {
      const tape = fileTape(join(left, name));
      const found = await read(tape);
      expect(found.text).toBe(text);
      digests.add(await tape.digest?.());
      await tape.remove();
      expect(readdirSync(left)).toEqual([]);
    }
    expect(digests.size).toBe(kills.length);
  });

  it('is followed while it grows', async () => {
    const tape = fileTape(join(folder, `live.${extension}`));
    const writer = tape.write({ onTrouble: refuse });
    const records = recordsOf(20);
    let told = 0;
    let text = '';
    const more = async (): Promise<boolean> => {
      const next = records[told];
      if (next === undefined) return text.length < linesOf(records.slice(5)).length;
      writer.record(next);
      told += 1;
      await turn();
      return true;
    };
    for await (const lines of tape.follow(more, 5)) text += Buffer.from(lines).toString();
    await writer.end();
    expect(text).toBe(linesOf(records.slice(5)));
  });

  it('is read to its end, also what was written while somebody was asked whether there is more', async () => {
    const tape = fileTape(join(folder, `ended.${extension}`));
    const writer = tape.write({ onTrouble: refuse });
    const records = recordsOf(20);
    for (const record of records.slice(0, 10)) writer.record(record);
    let text = '';
    const more = async (): Promise<boolean> => {
      for (const record of records.slice(10)) writer.record(record);
      await writer.end();
      return false;
    };
    for await (const lines of tape.follow(more)) text += Buffer.from(lines).toString();
    expect(text).toBe(linesOf(records));
  });

  it('ends when it is too large, and says so once', async () => {
    const path = join(folder, `large.${extension}`);
    const trouble: string[] = [];
    const tape = fileTape(path);
    const writer = tape.write({ maxBytes: 10_000, onTrouble: (message) => trouble.push(message) });
    for (let sequence = 1; sequence < 100; sequence += 1) {
      const size = sizeOf(path);
      writer.record(recordOf(sequence, randomBytes(1000).toString('hex')));
      while (sizeOf(path) === size && trouble.length === 0) await turn();
    }
    await writer.end();
    expect(trouble).toEqual([`the tape ${path} stops here: it has reached 10000 bytes`]);
    const { text, end } = await read(tape);
    if (extension === 'tape.zst') expect(end).toEqual({ kind: 'cut' });
    expect(text.split('\n').length).toBeGreaterThan(3);
  });

  it('goes without a record that cannot be written', async () => {
    let args: unknown[] = [];
    for (let depth = 0; depth < 20_000; depth += 1) args = [args];
    const absurd = { ...recordOf(2), text: args } as unknown as EventRecord;
    const tape = await written(join(folder, `absurd.${extension}`), [recordOf(1), absurd, recordOf(3)]);
    expect((await read(tape)).text).toBe(linesOf([recordOf(1), recordOf(3)]));
  });

  it('is removed, and then not there', async () => {
    const path = join(folder, `gone.${extension}`);
    const tape = await written(path, [recordOf(1)]);
    await tape.remove();
    await tape.remove();
    expect([existsSync(path), await tape.size()]).toEqual([false, undefined]);
    await expect(read(tape)).rejects.toThrow(/^cannot read .*ENOENT/);
    expect(await fileTape(folder).size()).toBeUndefined();
  });

  it('lets a stream through that is no tape, however its last line ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('\n', '{', '}', '"sequence":2', 'é'), maxLength: 40 }),
        async (text) => {
          const path = join(folder, `any.${extension}`);
          writeFileSync(path, extension === 'tape.zst' ? zstdCompressSync(text) : text);
          const chunks: Uint8Array[] = [];
          for await (const bytes of streamOf(fileTape(path))) chunks.push(new Uint8Array(bytes));
          expect(Buffer.concat(chunks).toString()).toBe(text);
        },
      ),
      { numRuns: fuzzRuns(100), seed: fuzzSeed },
    );
  });
});

describe('a compressed tape', () => {
  it('says that it is broken, after all that can be read', async () => {
    const path = join(folder, 'broken.tape.zst');
    writeFileSync(path, 'no tape at all');
    expect(await read(fileTape(path))).toEqual({
      text: '',
      end: { kind: 'broken', message: expect.stringMatching(/cannot be decompressed/) as string },
    });
    const whole = zstdCompressSync(linesOf(recordsOf(5000, () => randomBytes(50).toString('hex'))));
    writeFileSync(path, Buffer.concat([whole.subarray(0, 300_000), Buffer.alloc(200_000, 0xff)]));
    const { text, end } = await read(fileTape(path));
    expect(end.kind).toBe('broken');
    expect(text.length).toBeGreaterThan(100_000);
  });

  it('does not overwrite another', () => {
    const path = join(folder, 'taken.tape.zst');
    writeFileSync(path, 'mine');
    expect(() => fileTape(path).write({ onTrouble: refuse })).toThrow(/^cannot write .*EEXIST/);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });
});

describe('the tapes of a ledger', () => {
  it('are in a folder of their month, under the name of their run', () => {
    const { key, tape } = new FileTapes('/tapes').create('01abc', Date.UTC(2026, 0, 31));
    expect([key, tape.name]).toEqual([
      join('2026', '01', '01abc.tape.zst'),
      join('/tapes', '2026', '01', '01abc.tape.zst'),
    ]);
  });

  it.each(['../ledger.db', '/etc/passwd/../../x', 'a/../../b', '..', '.', ''])('are not at %j', (key) => {
    expect(new FileTapes('/tapes').at(key)?.name ?? '/tapes/').toMatch(/^\/tapes\//);
  });

  it('are listed, the oldest run first', async () => {
    const tapes = new FileTapes(join(folder, 'many'));
    const days = [3, 1, 2].map((day) => noon + day * 86_400_000);
    const keys: string[] = [];
    for (const at of days) {
      const { key, tape } = tapes.create(newRunId(at), at);
      const writer = tape.write({ onTrouble: refuse });
      writer.record(recordOf(1));
      await writer.end();
      keys.push(key);
    }
    const found: unknown[] = [];
    for await (const { key, bytes } of tapes.list()) found.push([key, bytes]);
    expect(found).toEqual([keys[1], keys[2], keys[0]].map((key) => [key, sizeOf(join(tapes.name, key ?? ''))]));
    for await (const entry of new FileTapes(join(folder, 'nowhere')).list()) expect(entry).toBeUndefined();
  });

  it('are tidied by one of those who ask, once in a while', async () => {
    const tapes = new FileTapes(folder);
    expect([await tapes.isTidyingDue(noon, 1000), await tapes.isTidyingDue(noon + 999, 1000)]).toEqual([true, false]);
    expect(await tapes.isTidyingDue(noon + 1000, 1000)).toBe(true);
  });
});

describe('a run that nobody ended', () => {
  const self = thisProcess();
  const { machine: _machine, ...unnamed } = self;
  const rebooted = { ...self, boot: `other ${self.boot.split(' ')[1]}` };
  it.each([
    ['is going on here', self, 0, false],
    ['has been silent, but its process is there', self, 2 * silenceMs, false],
    ['has a process number that another one has now', { ...self, process_started: '1' }, 0, true],
    ['has no process', { ...self, pid: 4_190_000 }, 0, true],
    ['was here before the machine started again', rebooted, uptime() * 1000 + 60_000, true],
    [
      'is on a machine with our name and id that was heard of after we started',
      rebooted,
      Math.min(silenceMs, uptime() * 1000) / 2,
      false,
    ],
    ['is on a machine that only has our name', { ...rebooted, machine: 'another', pid: 4_190_000 }, 0, false],
    ['was on a machine that only had our name', { ...rebooted, machine: 'another' }, 2 * silenceMs, true],
    ['was written here by a version that knew no machines', { ...unnamed, pid: 4_190_000 }, 0, true],
    ['is in a container beside us', { ...self, boot: `${self.boot.split(' ')[0]} pid:[1]`, pid: 4_190_000 }, 0, false],
    ['was in a container beside us', { ...self, boot: `${self.boot.split(' ')[0]} pid:[1]` }, 2 * silenceMs, true],
    ['is on another machine', { ...self, host: 'other', pid: 4_190_000 }, 0, false],
    ['has long been silent on another machine', { ...self, host: 'other' }, 2 * silenceMs, true],
  ])('%s', (_name, owner, silence, gone) => {
    expect(isGone({ owner, heartbeat_at: noon }, noon + silence)).toBe(gone);
  });
});
