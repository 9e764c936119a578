import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Events } from './events.ts';

/** Whose event it is; empty: the agent's own. */
export type Tag = { subagentRunId?: string };

interface Call {
  id: string;
  name: string;
  tag: Tag;
}

/** Sub-agents begin with their first event, and end with the call that started them. */
export class Subagents {
  readonly #events: Events;
  readonly #callOf: (item: string) => Call | undefined;
  readonly #active = new Map<string, string>();

  constructor(events: Events, callOf: (item: string) => Call | undefined) {
    this.#events = events;
    this.#callOf = callOf;
  }

  tagOf(parent: string | undefined): Tag {
    if (parent === undefined) return {};
    return { subagentRunId: this.#active.get(parent) ?? this.#start(parent) };
  }

  #start(parent: string): string {
    const call = this.#callOf(parent);
    const subagentRunId = this.#events.newId('subagent');
    this.#active.set(parent, subagentRunId);
    const parentSubagentRunId = call?.tag.subagentRunId;
    this.#events.write('SUBAGENT_STARTED', {
      subagentRunId,
      name: call?.name ?? 'unknown',
      ...present({ parentToolCallId: call?.id, parentSubagentRunId }),
    });
    return subagentRunId;
  }

  end({ item_id, status, error }: Pick<EventOf<'item.completed'>, 'item_id' | 'status' | 'error'>): void {
    const subagentRunId = this.#active.get(item_id);
    if (subagentRunId === undefined) return;
    this.#active.delete(item_id);
    if (status === 'success') this.#events.write('SUBAGENT_FINISHED', { subagentRunId });
    else this.#events.write('SUBAGENT_ERROR', { subagentRunId, message: error ?? status });
  }

  /** Nothing more comes. */
  close(): void {
    for (const item_id of this.#active.keys()) this.end({ item_id, status: 'abandoned' });
  }
}
