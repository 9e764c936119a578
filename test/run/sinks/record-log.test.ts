import { expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import { Failure } from '../../../src/failure.ts';
import { RecordLog } from '../../../src/run/sinks/record-log.ts';
import type { Tape } from '../../../src/tapes/tape.ts';
import { numbered } from '../../support/records.ts';

const place = (): (() => EventRecord) => {
  const next = numbered();
  return () => next({ type: 'log', stream: 'stdout', text: 'x' });
};

/** A tape of what was told so far; `onRead` comes in between. */
function tapeOf(told: readonly EventRecord[], onRead: () => void = () => {}): Tape {
  async function* read(after = 0) {
    const lines = told.filter(({ sequence }) => sequence > after).map((record) => `${JSON.stringify(record)}\n`);
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    onRead();
    return { kind: 'cut' } as const;
  }
  return { name: 'a tape', read, follow: (_more, after) => read(after) } as Partial<Tape> as Tape;
}

it('a reader that comes late and reads the tape misses nothing that is told and forgotten meanwhile', async () => {
  const told: EventRecord[] = [];
  const make = place();
  let bursts = 3;
  const log: RecordLog = new RecordLog(() => tapeOf(told, () => void (bursts-- > 0 && tell(30_000))));
  function tell(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const record = make();
      told.push(record);
      log.record(record);
    }
  }
  tell(30_000);
  const seen: number[] = [];
  for await (const { sequence } of log.read()) {
    seen.push(sequence);
    if (sequence === told.length && bursts <= 0) await log.close();
  }
  expect(seen).toEqual(told.map(({ sequence }) => sequence));
});

it('says so when the tape ends before what is still kept', async () => {
  const make = place();
  const first = Array.from({ length: 10 }, make);
  const log = new RecordLog(() => tapeOf(first));
  for (const record of first) log.record(record);
  for (let index = 0; index < 30_000; index += 1) log.record(make());
  const reading = (async () => {
    for await (const _ of log.read());
  })();
  await expect(reading).rejects.toThrow(Failure);
});

it('a reader of a run that goes on gets what comes after the sequence that it names', async () => {
  const log = new RecordLog();
  const make = place();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { sequence } of log.read(3)) seen.push(sequence);
  })();
  await Promise.resolve();
  for (let index = 0; index < 5; index += 1) log.record(make());
  await log.close();
  await reading;
  expect(seen).toEqual([4, 5]);
});
