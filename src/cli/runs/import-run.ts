import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Dialect } from '../../dialects/dialect.ts';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Reader } from '../../pipeline/reader.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { newRunId } from '../../stores/run-id.ts';
import type { ImportedRun, Labels } from '../../stores/run-store.ts';
import type { ImportSource } from './import-sources.ts';

export interface Reading {
  dialect?: Dialect;
  redact?: Redactor;
  labels: Labels;
}

/** The label of a run that came from a session store: the session may grow, and is then read again. */
export const sessionLabel = 'import.session';

/** One run of a source; undefined: a session in which nothing happened. The same bytes are always the same run. */
export async function readRun(source: ImportSource, { labels, ...options }: Reading): Promise<ImportedRun | undefined> {
  const hash = createHash('sha256');
  const place: { cwd?: string } = {};
  let last = 0;
  const reader = new Reader({
    ...options,
    onRecord(record) {
      last = record.sequence;
      if (record.type === 'thread.started' && record.cwd !== undefined) place.cwd = record.cwd;
    },
  });
  const head: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source.stdout()) {
    if (length < headBytes) head.push(new Uint8Array(chunk.subarray(0, headBytes - length)));
    length += chunk.length;
    hash.update(chunk);
    reader.stdout(chunk);
  }
  hash.update('\nstderr\n');
  for await (const chunk of source.stderr?.() ?? []) {
    hash.update(chunk);
    reader.stderr(chunk);
  }
  hash.update(`\nexit\n${JSON.stringify([source.process ?? null, source.wallMs ?? null])}`);
  if (length === 0 && source.process === undefined) throw new Failure('input', 'it is empty');
  const price = reader.needsPrice ? await (await import('../../outcome/price-table.ts')).loadPrices() : undefined;
  const outcome = reader.end(source.process, price);
  // How a process ended is a run's end, also where it said nothing that we know.
  if (reader.dialect === undefined && source.process === undefined)
    throw new Failure('input', 'no known dialect in it; name one with --from (see "runwire dialects")');
  const isSession = source.isSession ?? isSessionFile(Buffer.concat(head).toString());
  if (isSession && outcome.metrics.turns === 0 && outcome.metadata.initial_prompt === '') return undefined;

  const digest = hash.digest();
  const endedAt = outcome.metrics.end_time_ms ?? source.at;
  const startedAt = source.startedAt ?? outcome.metrics.start_time_ms ?? endedAt - (source.wallMs ?? outcome.metrics.duration_ms ?? 0);
  const session = isSession && outcome.session_id !== '' ? { [sessionLabel]: sessionName(source, outcome) } : {};
  return {
    id: newRunId(startedAt, digest),
    key: `sha256:${digest.toString('hex')}`,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    last_sequence: last,
    labels: { ...session, ...labels },
    ...place,
  };
}

/** Files of a resumed session repeat its id, so their own names tell them apart. */
function sessionName({ name, isSession }: ImportSource, { provenance, session_id }: RunOutcome): string {
  const session = `${provenance.dialect}:${session_id}`;
  return isSession === true || name.includes(session_id) ? session : `${session}@${basename(name)}`;
}

const headBytes = 32 * 1024;

/** Whether a file is the memory of an agent's own and not what it printed. */
function isSessionFile(head: string): boolean {
  if (/"type": ?"session_meta"/.test(head)) return true;
  if (/"(?:sessionId|summary)":/.test(head) && /"(?:parentUuid|leafUuid)":/.test(head)) return true;
  return head.startsWith('{"type":"session",') && /^\{"type":"(?:message|model_change|thinking_level_change|session_info)",/m.test(head);
}
