import type { EventRecord } from '../events/event.ts';

/** Kinds of events of a run, each with how often it was told. */
export type EventCounts = Map<string, number>;

/** What says nothing of what the agent did: pieces of texts, its log, what is seen beside it, and what is made anew for each run. */
const leftOut = new Set<EventRecord['type']>([
  'thread.started',
  'thread.completed',
  'prompt.submitted',
  'text.delta',
  'reasoning.delta',
  'item.output',
  'log',
  'branch.updated',
  // In a copy git tells of all of them; files are compared by what they hold.
  'file.edited',
  'process.ended',
  'expectation.checked',
  'model.requested',
  'model.responded',
  'wire.recorded',
  'network.refused',
]);

/** Counts what is worth comparing between two runs of the same conversation. */
export class EventCounter {
  readonly counts: EventCounts = new Map();
  /** The exit code of the agent's process, the last one. */
  exitCode: number | null | undefined;
  readonly #names = new Map<string, string>();

  see(record: EventRecord): void {
    if (record.type === 'process.ended') this.exitCode = record.exit_code;
    if (record.type === 'item.started') this.#names.set(record.item_id, record.name ?? record.kind);
    if (leftOut.has(record.type)) return;
    const kind = this.#kindOf(record);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  #kindOf(record: EventRecord): string {
    switch (record.type) {
      case 'item.started':
        return `item.started ${record.name ?? record.kind}`;
      case 'item.completed':
        return `item.completed ${this.#names.get(record.item_id) ?? ''} ${record.status}`;
      case 'error':
        return `error ${record.code}`;
      case 'agent.finished':
        return `agent.finished ${record.status}`;
      default:
        return record.type;
    }
  }
}

/** Whether an event stands for something that was done, so that twice is not once. How a text is cut into blocks is not. */
const isCounted = (kind: string): boolean => /^(?:item\.completed|permission\.|error |retry\.)/.test(kind);

export interface EventChange {
  kind: string;
  recorded: number;
  now: number;
}

export function eventChanges(recorded: EventCounts, now: EventCounts): EventChange[] {
  return [...new Set([...recorded.keys(), ...now.keys()])].flatMap((kind) => {
    const [before, after] = [recorded.get(kind) ?? 0, now.get(kind) ?? 0];
    const isSame = isCounted(kind) ? before === after : before > 0 === after > 0;
    return isSame ? [] : [{ kind, recorded: before, now: after }];
  });
}
