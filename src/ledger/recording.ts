import { Failure, messageOf } from '../failure.ts';
import { shortRunId } from '../ids/run-id.ts';
import type { RunSummary } from '../stores/run-store.ts';
import type { Tape, Tapes } from '../tapes/tape.ts';
import { type RecordedExchange, type RecordingHead, RecordingReader } from '../wire/recording/recording.ts';
import type { EventOf, EventRecord } from '../events/event.ts';
import type { FileState } from '../files/file-state.ts';
import { tapeOf, tapeReader } from './run-tape.ts';

/** What went over the wire in one run, and what it came to. */
export interface Recording {
  head: RecordingHead;
  exchanges: readonly RecordedExchange[];
  /** The files that it changed; undefined: nobody looked. */
  files: readonly FileState[] | undefined;
  /** By request. */
  responses: ReadonlyMap<number, EventOf<'model.responded'>>;
  /** Of the first request, in ms. */
  startedAt: number;
}

/** The recording on the tape of a run; `onRecord` is told everything else that is on it. Throws `Failure` if it has none, or one that cannot be read. */
export async function recordingOf(
  tapes: Tapes,
  run: RunSummary,
  onRecord: (record: EventRecord) => void = () => {},
): Promise<Recording> {
  const found = await tapeOf(tapes, run);
  if ('missing' in found) throw new Failure('input', found.missing);
  const { reader, responses, first } = await readWire(found.tape, onRecord).catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    throw new Failure('input', `the recording of ${shortRunId(run.id)} is damaged: ${messageOf(error)}`);
  });
  const { head, exchanges, files } = reader;
  if (head === undefined)
    throw new Failure(
      'input',
      `the run ${shortRunId(run.id)} has no recording of its requests: it was not run with --wire record`,
    );
  const startedAt = first === null || first === undefined ? run.started_at : Date.parse(first);
  return { head, exchanges, files, responses, startedAt };
}

/** Everything of the wire that is on a tape. */
export async function readWire(tape: Tape, onRecord: (record: EventRecord) => void = () => {}) {
  const reader = new RecordingReader();
  const responses = new Map<number, EventOf<'model.responded'>>();
  let first: string | null | undefined;
  const see = (record: EventRecord): void => {
    onRecord(record);
    if (record.type === 'model.requested') first ??= record.timestamp;
    if (record.type === 'model.responded') responses.set(record.request, record);
    if (record.type === 'wire.recorded' && Array.isArray(record.lines))
      for (const line of record.lines) reader.value(line);
  };
  const records = tapeReader({ onRecord: see });
  for await (const lines of tape.read()) records.stdout(lines);
  return { reader, responses, first };
}
