import { cutJson } from '../events/cut-record.ts';
import type { EventRecord } from '../events/event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LiveRuns } from '../ledger/live.ts';
import { runRecords } from '../ledger/tail.ts';
import { recordsIn } from '../ledger/tape-check.ts';
import { present } from '../json/present.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Tape } from '../tapes/tape.ts';
import type { Message } from './event-stream.ts';

const recordsPerMessage = 500;
/** A message is sent before it grows beyond this, unless a single record is longer. */
const charactersPerMessage = 256 * 1024;

export interface Wanted {
  /** Records above this sequence. */
  after: number;
  /** At most this many. */
  limit?: number | undefined;
  /** Follows the run until its end. */
  follow: boolean;
  /** Texts longer than this are cut. */
  cut?: number | undefined;
}

export interface Source {
  ledger: Ledger;
  live: LiveRuns;
  now: () => number;
}

/** The records of a run as messages: from its tape, then live. The last one holds the outcome, once the run has ended. */
export async function* recordMessages(
  { ledger, live, now }: Source,
  run: RunRecord,
  tape: Tape,
  { after, limit = Infinity, follow, cut }: Wanted,
  left: AbortSignal,
): AsyncGenerator<readonly Message[], void> {
  let room = limit;
  const release = follow ? live.watch() : () => {};
  const waiting = { now, sleep: () => live.look(), isRunning: () => !left.aborted && live.isOpen(run.id) };
  const records = runRecords(ledger, run, tape, { after, ...present({ follow: follow ? waiting : undefined }) });
  try {
    for (;;) {
      const next = await records.next();
      if (next.done === true) {
        if (next.value !== undefined)
          yield [{ event: 'end', data: JSON.stringify({ outcome: await outcomeOf(ledger, run) }) }];
        return;
      }
      const some = next.value.slice(0, room);
      for (const message of messagesOf(recordsIn(some), cut)) yield [message];
      room -= some.length;
      if (room <= 0) return;
    }
  } finally {
    await records.return(undefined);
    release();
  }
}

async function outcomeOf({ store }: Ledger, run: RunRecord) {
  return run.outcome ?? (await store.get(run.id))?.outcome;
}

export function* messagesOf(records: Iterable<EventRecord>, cut: number | undefined): Generator<Message> {
  let lines: string[] = [];
  let characters = 0;
  let last = 0;
  function take(): Message {
    const message = { event: 'records', id: last, data: `[${lines.join(',')}]`, count: lines.length, lines };
    lines = [];
    characters = 0;
    return message;
  }
  for (const record of records) {
    const line = cutJson(record, cut);
    if (line === undefined) continue;
    if (lines.length > 0 && (lines.length >= recordsPerMessage || characters + line.length > charactersPerMessage))
      yield take();
    lines.push(line);
    characters += line.length;
    last = record.sequence;
  }
  if (lines.length > 0) yield take();
}

/** The same as JSON lines: the records alone, which end with the run's own `thread.completed`. */
export function ndjsonText({ lines = [] }: Message): string {
  return lines.map((line) => `${line}\n`).join('');
}
