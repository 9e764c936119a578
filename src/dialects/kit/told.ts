import type { EventRecord } from '../../events/event.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { classWords } from './class-words.ts';
import type { Json, JsonObject } from '../../json/json.ts';

/** Why a run was not a success, in one line; empty if nothing says why. */
export function failureText({ verdict, error_details }: Pick<RunOutcome, 'verdict' | 'error_details'>): string {
  return [classWords[verdict.class]?.words, error_details?.message ?? verdict.evidence[0]?.detail]
    .filter(Boolean)
    .join(': ');
}

const envelope = new Set(['type', 'sequence', 'timestamp', 'thread_id', 'source', 'synthetic']);

/** An event's own fields, for formats that carry events they cannot express otherwise. */
export function fieldsOf(record: EventRecord): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(record))
    if (!envelope.has(name) && value !== undefined) fields[name] = value as Json;
  return fields;
}
