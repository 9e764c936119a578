import { findReader, findWriter } from '../dialects/registry.ts';
import type { EventOf, EventRecord } from '../events/event.ts';
import { type FoldOptions, type Note, OutcomeFold } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { reportedOutcome } from '../outcome/report.ts';
import type { Price } from '../outcome/price.ts';
import type { Redactor } from '../redact/redactor.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import type { ProcessEnd } from './thread.ts';
import { Writer } from './writer.ts';

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface DecodeOptions extends FoldOptions {
  /** A dialect id; unset: detected from the first lines. */
  from?: string;
  /** What the process wrote to stderr. */
  stderr?: Bytes;
  /** How the process ended. */
  process?: ProcessEnd;
  /** Ids for threads that the agent does not name; default: random. */
  newId?: () => string;
  /** For live streams: timestamps what the agent does not. */
  clock?: () => number;
  /** Prices for agents that report no cost. */
  price?: Price;
  /** Replaces secrets before anything is yielded or folded; one redactor serves one run. */
  redact?: Redactor;
  onNote?: (note: Note) => void;
}

function readerOptions({
  from,
  stderr: _stderr,
  process: _process,
  price: _price,
  onNote: _onNote,
  ...rest
}: DecodeOptions): ReaderOptions {
  return from === undefined ? rest : { ...rest, dialect: findReader(from) };
}

/** Any agent's output → records. The last one is always `thread.completed`, with the outcome as its `final_report`. */
export async function* decode(bytes: Bytes, options: DecodeOptions = {}): AsyncGenerator<EventRecord, RunOutcome> {
  let ready: EventRecord[] = [];
  const reader = new Reader({ ...readerOptions(options), onRecord: (record) => void ready.push(record) });
  const take = (): EventRecord[] => {
    const out = ready;
    ready = [];
    return out;
  };
  for await (const chunk of bytes) {
    reader.stdout(chunk);
    if (ready.length > 0) yield* take();
  }
  for await (const chunk of options.stderr ?? []) reader.stderr(chunk);
  const outcome = reader.end(options.process, options.price);
  yield* take();
  if (options.onNote !== undefined) reader.notes.forEach(options.onNote);
  return outcome;
}

/** Any agent's output → its outcome. */
export async function fold(bytes: Bytes, options: DecodeOptions = {}): Promise<RunOutcome> {
  const reader = new Reader(readerOptions(options));
  for await (const chunk of bytes) reader.stdout(chunk);
  for await (const chunk of options.stderr ?? []) reader.stderr(chunk);
  const outcome = reader.end(options.process, options.price);
  if (options.onNote !== undefined) reader.notes.forEach(options.onNote);
  return outcome;
}

export interface EncodeOptions {
  /** Reports what the target dialect could not express, once per kind, at the end. */
  onNote?: (note: Note) => void;
}

/** Records → the text of a dialect (`codex`, or `claude:json` for a variant), piece by piece. */
export async function* encode(
  records: AsyncIterable<EventRecord> | Iterable<EventRecord>,
  to: string,
  options: EncodeOptions = {},
): AsyncGenerator<string, void> {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const folding = new OutcomeFold();
  let completed: EventOf<'thread.completed'> | undefined;
  for await (const record of records) {
    writer.record(record);
    folding.apply(record, record.timestamp === null ? undefined : Date.parse(record.timestamp), record.synthetic);
    if (record.type === 'thread.completed') completed = record;
    if (writer.size > 0) yield writer.take();
  }
  writer.end(completed === undefined ? folding.outcome('runwire', []) : reportedOutcome(completed));
  if (writer.size > 0) yield writer.take();
  if (options.onNote !== undefined) writer.notes.forEach(options.onNote);
}

/** One dialect → another. */
export async function* convert(
  bytes: Bytes,
  to: string,
  options: DecodeOptions = {},
): AsyncGenerator<string, RunOutcome> {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const reader = new Reader({
    ...readerOptions(options),
    isWritten: writer.isRecords,
    onRecord: (record) => writer.record(record),
  });
  for await (const chunk of bytes) {
    reader.stdout(chunk);
    if (writer.size > 0) yield writer.take();
  }
  for await (const chunk of options.stderr ?? []) reader.stderr(chunk);
  const outcome = reader.end(options.process, options.price);
  writer.end(outcome);
  if (writer.size > 0) yield writer.take();
  if (options.onNote !== undefined) [...reader.notes, ...writer.notes].forEach(options.onNote);
  return outcome;
}
