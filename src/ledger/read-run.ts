import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { ModelCalls } from '../agents/stored/model-calls.ts';
import { headBytes, isSessionFile } from '../agents/stored/session-file.ts';
import type { StoredRun } from '../agents/stored/stored-run.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { Reader } from '../pipeline/reader.ts';
import type { Price } from '../outcome/price.ts';
import { present } from '../json/present.ts';
import type { Redactor } from '../redact/redactor.ts';
import { isWholeId, newRunId } from '../ids/run-id.ts';
import type { ImportedRun } from '../stores/run-store.ts';
import type { Labels } from '../contract/labels.ts';
import { sessionLabel } from './one-run.ts';
import { contentLabel, RunContent } from './run-content.ts';
import { endReading } from './run-tape.ts';
import { SeenCalls } from './seen-calls.ts';

export interface Reading {
  dialect?: Dialect | undefined;
  /** A separate one for each run. */
  redact?: Redactor | undefined;
  labels: Labels;
  /** For runs whose agent reported no cost; unset: the table. */
  loadPrice?: (() => Promise<Price>) | undefined;
  /** Gets every record, clean. */
  onRecord?: (record: EventRecord) => void;
}

/** A stream in which no known dialect was found. */
export class UnknownDialect extends Failure {
  constructor() {
    super('input', 'no known dialect in it');
  }
}

/** One run of a source; undefined: a session in which nothing happened. The same bytes are always the same run. */
export async function readRun(
  source: StoredRun,
  { labels, dialect, redact, loadPrice, onRecord }: Reading,
): Promise<ImportedRun | undefined> {
  const hash = createHash('sha256');
  let place: Pick<ImportedRun, 'cwd' | 'parent_run_id' | 'root_run_id'> = {};
  let taped: string | undefined;
  let last = 0;
  const content = new RunContent();
  const calls = new ModelCalls();
  const seen = new SeenCalls();
  const reader = new Reader({
    ...present({ dialect, redact }),
    onRecord(record) {
      last = record.sequence;
      content.see(record);
      seen.see(record);
      onRecord?.(record);
      // A stream with several runs is named after the first.
      if (record.type !== 'thread.started' || Object.keys(place).length > 0) return;
      const { cwd, run_id, parent_run_id, root_run_id } = record;
      if (run_id !== undefined && isWholeId(run_id)) taped = run_id;
      place = present({ cwd, parent_run_id, root_run_id });
    },
  });
  const head: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source.stdout()) {
    if (length < headBytes) head.push(new Uint8Array(chunk.subarray(0, headBytes - length)));
    length += chunk.length;
    hash.update(chunk);
    calls.see(chunk);
    reader.stdout(chunk);
  }
  hash.update('\nstderr\n');
  for await (const chunk of source.stderr?.() ?? []) {
    hash.update(chunk);
    reader.stderr(chunk);
  }
  hash.update(`\nexit\n${JSON.stringify([source.process ?? null, source.wallMs ?? null])}`);
  if (length === 0 && source.process === undefined) throw new Failure('input', 'it is empty');
  const outcome = await endReading(reader, source.process, loadPrice);
  // How the process ended is enough to end the run, even if none of its output was understood.
  if (reader.dialect === undefined && source.process === undefined) throw new UnknownDialect();
  const isSession = source.isSession ?? isSessionFile(Buffer.concat(head).toString());
  if (isSession && outcome.metrics.turns === 0 && outcome.metadata.initial_prompt === '') return undefined;

  const digest = hash.digest();
  const endedAt = outcome.metrics.end_time_ms ?? source.at;
  const startedAt =
    source.startedAt ?? outcome.metrics.start_time_ms ?? endedAt - (source.wallMs ?? outcome.metrics.duration_ms ?? 0);
  const contentDigest = isSession || outcome.session_id !== '' ? undefined : content.digest();
  const named = contentDigest === undefined ? {} : { [contentLabel]: contentDigest };
  const session = isSession && outcome.session_id !== '' ? { [sessionLabel]: sessionName(source, outcome) } : {};
  return {
    // A tape names its run.
    id: taped ?? newRunId(startedAt, digest),
    key: taped === undefined ? `sha256:${digest.toString('hex')}` : `run:${taped}`,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    last_sequence: last,
    ...(isSession ? calls.end() : { sightings: new Map(seen.hashes.map((each) => [each, each])) }),
    labels: { ...named, ...(redact?.json({ ...session, ...labels }) ?? { ...session, ...labels }) },
    ...place,
  };
}

/** Files of a resumed session repeat its id, so their own names tell them apart. */
function sessionName({ name, isSession }: StoredRun, { provenance, session_id }: RunOutcome): string {
  const session = `${provenance.dialect}:${session_id}`;
  return isSession === true || name.includes(session_id) ? session : `${session}@${basename(name)}`;
}
