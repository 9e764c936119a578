import type { EventOf } from '../../../events/event.ts';
import type { Events } from './events.ts';
import type { Subagents, Tag } from './subagents.ts';

type Delta = EventOf<'text.delta' | 'reasoning.delta'>;
type Whole = EventOf<'text.completed' | 'reasoning.completed'>;
interface Open {
  id: string;
  isText: boolean;
  tag: Tag;
}

/** Texts and reasoning as they come, from the agent and its sub-agents. */
export class Messages {
  readonly #events: Events;
  readonly #subagents: Subagents;
  readonly #open = new Map<string, Open>();
  /** The agent's own message of this turn: the calls that follow are part of it. */
  ofTurn: string | undefined;

  constructor(events: Events, subagents: Subagents) {
    this.#events = events;
    this.#subagents = subagents;
  }

  delta(event: Delta): void {
    const { id, isText, tag } = this.#open.get(keyOf(event)) ?? this.#start(event);
    if (event.text === '') return;
    this.#events.write(isText ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', {
      messageId: id,
      delta: event.text,
      ...tag,
    });
  }

  end(event: Whole): void {
    const key = keyOf(event);
    if (!this.#open.has(key))
      this.delta({ ...event, type: event.type === 'text.completed' ? 'text.delta' : 'reasoning.delta' });
    this.#close(key);
  }

  /** A message that is not the agent's. */
  ask(text: string): void {
    const messageId = this.#events.newId('prompt');
    this.#events.write('TEXT_MESSAGE_START', { messageId, role: 'user' });
    if (text !== '') this.#events.write('TEXT_MESSAGE_CONTENT', { messageId, delta: text });
    this.#events.write('TEXT_MESSAGE_END', { messageId });
  }

  /** Nothing more comes. */
  close(): void {
    for (const key of this.#open.keys()) this.#close(key);
  }

  #start(event: Delta): Open {
    const isText = event.type === 'text.delta';
    const tag = this.#subagents.tagOf(event.parent_item_id);
    const open = { id: this.#events.newId(isText ? 'text' : 'reasoning'), isText, tag };
    this.#open.set(keyOf(event), open);
    if (isText && event.parent_item_id === undefined) this.ofTurn = open.id;
    if (isText) this.#events.write('TEXT_MESSAGE_START', { messageId: open.id, role: 'assistant', ...tag });
    else {
      this.#events.write('REASONING_START', { messageId: open.id, ...tag });
      this.#events.write('REASONING_MESSAGE_START', { messageId: open.id, role: 'reasoning', ...tag });
    }
    return open;
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    const end = { messageId: open.id, ...open.tag };
    if (open.isText) return this.#events.write('TEXT_MESSAGE_END', end);
    this.#events.write('REASONING_MESSAGE_END', end);
    this.#events.write('REASONING_END', end);
  }
}

function keyOf({ type, parent_item_id = '', block_id }: Delta | Whole): string {
  return `${type.startsWith('text') ? 'text' : 'reasoning'} ${JSON.stringify(parent_item_id)} ${block_id}`;
}
