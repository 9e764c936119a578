import { cutRecord } from '../events/cut-record.ts';
import { recordJson } from '../events/record-json.ts';
import type { EventRecord } from '../events/event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LiveRuns } from '../ledger/live.ts';
import { recordRange } from '../ledger/record-range.ts';
import { runRecords } from '../ledger/tail.ts';
import { present } from '../present.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Tape } from '../stores/tape.ts';
import type { Message } from './event-stream.ts';
import { unlessTooLarge } from '../unless-too-large.ts';

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
  let known = after;
  let room = limit;
  if (!follow && Number.isFinite(limit)) {
    const range = recordRange(tape, after, limit);
    try {
      for (let next = await range.next(); ; next = await range.next()) {
        // A run that is still running must not get an invented end.
        if (next.done === true && (next.value || run.status === 'running')) return;
        if (next.done === true) break;
        for (const message of messagesOf(next.value, cut)) yield [message];
        room -= next.value.length;
        known = next.value.at(-1)?.sequence ?? known;
      }
    } finally {
      // A viewer that leaves does not leave an open file behind.
      await range.return(true);
    }
  }
  const release = follow ? live.watch() : () => {};
  const waiting = { now, sleep: () => live.look(), isRunning: () => !left.aborted && live.isOpen(run.id) };
  const records = runRecords(ledger, run, tape, { after: known, ...present({ follow: follow ? waiting : undefined }) });
  try {
    for (;;) {
      const next = await records.next();
      if (next.done === true) {
        if (next.value !== undefined) yield [{ event: 'end', data: JSON.stringify({ outcome: await outcomeOf(ledger, run) }) }];
        return;
      }
      const some = next.value.slice(0, room);
      for (const message of messagesOf(some, cut)) yield [message];
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

export function* messagesOf(records: readonly EventRecord[], cut: number | undefined): Generator<Message> {
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
    const line = lineOf(record, cut);
    if (line === undefined) continue;
    if (lines.length > 0 && (lines.length >= recordsPerMessage || characters + line.length > charactersPerMessage)) yield take();
    lines.push(line);
    characters += line.length;
    last = record.sequence;
  }
  if (lines.length > 0) yield take();
}

/** Undefined: it is nested too deeply to be serialised. */
function lineOf(record: EventRecord, cut: number | undefined): string | undefined {
  return unlessTooLarge(() => {
    const line = recordJson(record);
    return cut === undefined || line === undefined || line.length <= cut ? line : JSON.stringify(cutRecord(record, cut));
  });
}

/** The same as JSON lines: the records alone, which end with the run's own `thread.completed`. */
export function ndjsonText({ lines = [] }: Message): string {
  return lines.map((line) => `${line}\n`).join('');
}
