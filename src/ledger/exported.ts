import { Framer } from '../pipeline/framer.ts';
import { present } from '../json/present.ts';
import { fittingLabels, mostKept } from '../contract/label-limits.ts';
import type { ImportedRun, LedgerOutcome } from '../stores/run-store.ts';
import { givenOf } from '../contract/row.ts';
import type { Labels } from '../contract/labels.ts';
import { RunRecordSchema } from './schemas.ts';

/** Whether these bytes begin like the output of "runwire runs export". */
export function isExport(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('utf8', 0, 4096);
  return text.startsWith('{"id":"') && text.includes('"last_sequence":') && text.includes('"heartbeat_at":');
}

export type Exported = ImportedRun | { line: number; why: string };

/** The runs of an export, one line in memory at a time. */
export async function* exportedRuns(bytes: AsyncIterable<Uint8Array>, labels: Labels): AsyncGenerator<Exported> {
  let ready: Exported[] = [];
  const framer = new Framer({
    value: (wire, line) => void ready.push(runOf(wire, line, labels)),
    text: (_text, cause, line) => void ready.push({ line, why: `a ${cause} line` }),
    note: () => {},
  });
  for await (const chunk of bytes) {
    framer.push(chunk);
    yield* ready;
    ready = [];
  }
  framer.end();
  yield* ready;
}

function withNote(outcome: LedgerOutcome, what: string): LedgerOutcome {
  const { provenance } = outcome;
  return { ...outcome, provenance: { ...provenance, notes: [...provenance.notes, { kind: 'lost', what, count: 1 }] } };
}

function runOf(wire: unknown, line: number, more: Labels): Exported {
  const { success, data, error } = RunRecordSchema.safeParse(wire);
  if (!success) {
    const [issue] = error.issues;
    return { line, why: `not a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
  }
  const { outcome } = data;
  if (outcome === undefined || data.ended_at === undefined)
    return { line, why: 'the run had not ended when it was exported' };
  const { kept, omitted } = fittingLabels({ ...more, ...data.labels, ...more });
  return {
    id: data.id,
    key: data.key ?? `run:${data.id}`,
    started_at: data.started_at,
    ended_at: data.ended_at,
    outcome:
      omitted === 0 ? outcome : withNote(outcome, `${omitted} labels are left out: a run has at most ${mostKept}`),
    attempts: data.attempts.map(present),
    last_sequence: data.last_sequence,
    labels: kept,
    ...givenOf(data),
    ...present({
      agent: data.agent,
      model: data.model,
      owner: data.owner === undefined ? undefined : present(data.owner),
      tape_sha256: data.tape_sha256,
      parent_run_id: data.parent_run_id,
      root_run_id: data.root_run_id,
    }),
  };
}
