import type { Draft, EventRecord } from '../events/event.ts';

/** Agents number their ids from the start in every process, but within one thread ids must differ: those of a later run or attempt get a mark. */
const idFields = ['item_id', 'parent_item_id', 'turn_id', 'message_id', 'block_id', 'permission_id'] as const;

export function markOfRun(run: number): string {
  return `run_${run}:`;
}

export function markOfAttempt(attempt: number): string {
  return `attempt_${attempt}:`;
}

export function marked<T extends Draft>(draft: T, mark: string): T {
  const copy: Record<string, unknown> = { ...draft };
  for (const field of idFields) if (typeof copy[field] === 'string') copy[field] = mark + copy[field];
  return copy as T;
}

const runMark = /^run_\d{1,9}:/;

/** The record with the agent's own ids, for writers that keep each run separate. */
export function unmarked(record: EventRecord): EventRecord {
  const copy: Record<string, unknown> & EventRecord = { ...record };
  for (const field of idFields) {
    const id = copy[field];
    if (typeof id === 'string') copy[field] = id.replace(runMark, '');
  }
  return copy;
}
