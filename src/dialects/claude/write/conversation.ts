import type { EventOf, EventRecord, EventType } from '../../../events/event.ts';
import { Lanes } from '../../kit/lanes.ts';
import { plus, type Tokens } from '../../kit/tokens.ts';
import { stopOf, synthetic } from '../words.ts';
import { Message } from './message.ts';
import type { Output } from './output.ts';
import { stepOf, type Usage } from './usage.ts';

type Thread = EventOf<'thread.started'>;
type TextEvent = EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'>;

const opening: ReadonlySet<EventType> = new Set([
  'text.delta',
  'text.completed',
  'reasoning.delta',
  'reasoning.completed',
  'item.started',
]);

export function opensBlock(event: EventRecord): boolean {
  return opening.has(event.type);
}

/** The main thread and the sub-agents, each of which writes one message at a time. */
export class Conversation {
  readonly #output: Output;
  readonly #usage: Usage;
  readonly #messages = new Lanes<Message>();
  #thread: Thread | undefined;
  #turn: { id: string; model: string | undefined; isSynthetic: boolean; spoke: boolean } | undefined;
  #last: Message | undefined;
  /** The tokens of a model call, reported before or after its blocks. */
  #pending: (Tokens & { model?: string }) | undefined;

  constructor(output: Output, usage: Usage) {
    this.#output = output;
    this.#usage = usage;
  }

  open(thread: Thread): void {
    this.#thread = thread;
  }

  get model(): string {
    return this.#turn?.model ?? this.#thread?.model ?? 'unknown';
  }

  startTurn(event: EventRecord & { type: 'turn.started' }): void {
    this.#turn = { id: event.turn_id, model: event.model, isSynthetic: event.synthetic, spoke: false };
    this.#messages.delete(undefined);
  }

  /** Returns why it stopped. */
  endTurn(event: EventOf<'turn.completed'>): string | null {
    if (this.#turn !== undefined && !this.#turn.spoke && !this.#turn.isSynthetic)
      this.message(undefined, this.#turn.id).say([]);
    const stop = stopOf(event.finish_reason, event.raw_finish_reason);
    this.#messages.get(undefined)?.end(stop);
    this.#messages.delete(undefined);
    this.#turn = undefined;
    return stop;
  }

  messageOf(event: TextEvent): Message {
    return this.message(event.parent_item_id, event.turn_id, event.message_id);
  }

  /** A call belongs to the latest message of its turn. */
  messageOfCall(event: EventOf<'item.started'>): Message {
    const known = this.#messages.get(event.parent_item_id);
    return this.message(
      event.parent_item_id,
      event.turn_id,
      known?.turnId === event.turn_id ? known.id : event.turn_id,
    );
  }

  message(parent: string | undefined, turnId: string, id = turnId): Message {
    const known = this.#messages.get(parent);
    if (this.#turn !== undefined && parent === undefined) this.#turn.spoke = true;
    const usage = this.#pending;
    const isSubAgent = parent !== undefined && !this.#output.isResultAlone;
    if (known?.id === id) {
      if (usage !== undefined) known.usage = this.#usage.show(known.usage, usage, isSubAgent);
      this.#pending = undefined;
      return (this.#last = known);
    }
    known?.end(known.calledTools ? 'tool_use' : null);
    const place = { id, turnId, parent, model: this.#modelFor(parent) };
    this.#pending = undefined;
    this.#last = new Message(place, this.#usage.show({}, usage ?? {}, isSubAgent), this.#output);
    this.#messages.set(parent, this.#last);
    return this.#last;
  }

  /** The message that is being written on this lane. */
  current(parent: string | undefined): Message | undefined {
    return this.#messages.get(parent);
  }

  /** The sub-agent that this call started is done. */
  endSubAgent(call: string): void {
    const message = this.#messages.get(call);
    message?.end(message.calledTools ? 'tool_use' : 'end_turn');
    this.#messages.delete(call);
  }

  see(event: EventOf<'usage.reported'>): void {
    if (event.scope === 'step') this.#pending = stepOf(event);
  }

  /** If the next event opens no block, pending usage came after the blocks of its message: it is the final count. */
  settle(next: EventRecord | undefined): void {
    if (this.#pending === undefined || (next !== undefined && opensBlock(next))) return;
    const isTurnOver = next?.type === 'turn.completed';
    if (isTurnOver && this.#turn?.spoke !== true) return;
    const tokens = this.#pending;
    this.#pending = undefined;
    const last = this.#last;
    if (last === undefined || this.#messages.get(last.parent) !== last) return;
    last.usage = last.isStreaming
      ? this.#usage.show(last.usage, tokens, last.parent !== undefined)
      : plus(last.usage, tokens);
    if (isTurnOver || !last.isStreaming) return;
    if (last.calledTools || last.parent !== undefined) last.end(last.calledTools ? 'tool_use' : 'end_turn');
    else last.settle(null);
  }

  #modelFor(parent: string | undefined): string {
    if (parent === undefined && this.#turn?.model !== undefined) return this.#turn.model;
    if (parent === undefined && this.#thread?.agent === 'claude') return synthetic;
    return this.#pending?.model ?? this.#thread?.model ?? 'unknown';
  }
}
