import type { EventRecord } from '../../../src/events/event.ts';

export function recordOf(sequence: number, text = `line ${sequence} \u2028 é`): EventRecord {
  const place = {
    sequence,
    timestamp: '2026-11-15T12:00:00.000Z',
    thread_id: 't',
    source: 'agent',
    synthetic: false,
  } as const;
  return { type: 'text.completed', turn_id: 't1', message_id: 'm', block_id: 'b', text, ...place };
}

export const recordsOf = (count: number, text?: () => string): EventRecord[] =>
  Array.from({ length: count }, (_, index) => recordOf(index + 1, text?.()));

export const linesOf = (records: readonly EventRecord[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
