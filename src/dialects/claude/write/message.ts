import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import type { Tokens } from '../../kit/tokens.ts';
import type { Output } from './output.ts';
import { writeUsage } from './usage.ts';

type TextEvent = EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'>;

interface MessageStart {
  id: string;
  turnId: string;
  /** The call that started the sub-agent. */
  parent: string | undefined;
  model: string;
}

/** One model call: its lines share an id. */
export class Message {
  readonly id: string;
  readonly turnId: string;
  readonly parent: string | undefined;
  usage: Tokens;
  readonly #model: string;
  readonly #output: Output;
  /** Blocks that are streaming now, by our block id, with their index in the message. */
  readonly #streams = new Map<string, number>();
  #nextIndex = 0;
  #calledTools = false;
  #ended = false;

  constructor({ id, turnId, parent, model }: MessageStart, usage: Tokens, output: Output) {
    this.id = id;
    this.turnId = turnId;
    this.parent = parent;
    this.usage = usage;
    this.#model = model;
    this.#output = output;
    if (output.isPartial) output.streamed(parent, { type: 'message_start', message: this.#body([]) });
  }

  get isStreaming(): boolean {
    return this.#output.isPartial && !this.#ended;
  }

  get calledTools(): boolean {
    return this.#calledTools;
  }

  get hasOpenBlocks(): boolean {
    return this.#streams.size > 0;
  }

  delta(event: TextEvent): void {
    const isText = event.type === 'text.delta';
    let index = this.#streams.get(event.block_id);
    if (index === undefined) {
      index = this.#nextIndex++;
      this.#streams.set(event.block_id, index);
      this.#startBlock(index, isText ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' });
    }
    this.#output.streamed(this.parent, {
      type: 'content_block_delta',
      index,
      delta: isText ? { type: 'text_delta', text: event.text } : { type: 'thinking_delta', thinking: event.text },
    });
  }

  complete(event: TextEvent): void {
    const index = this.#streams.get(event.block_id);
    if (index !== undefined) {
      this.#streams.delete(event.block_id);
      this.#output.streamed(this.parent, { type: 'content_block_stop', index });
    }
    const isText = event.type === 'text.completed';
    this.say([isText ? { type: 'text', text: event.text } : { type: 'thinking', thinking: event.text, signature: '' }]);
  }

  call(type: string, { item_id: id, name, args }: EventOf<'item.started'>): void {
    this.#calledTools = true;
    const input = args ?? {};
    if (this.#output.isPartial) {
      const index = this.#nextIndex++;
      this.#startBlock(index, { type, id, name, input: {} });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      this.#output.streamed(this.parent, { type: 'content_block_delta', index, delta });
      this.#output.streamed(this.parent, { type: 'content_block_stop', index });
    }
    this.say([{ type, id, name, input }]);
  }

  say(content: Json[]): void {
    this.#output.spoken(this.parent, { type: 'assistant', message: this.#body(content) });
  }

  /** Only the streaming variant has a line for usage that came after the blocks. */
  settle(stop: string | null): void {
    const delta = { stop_reason: stop, stop_sequence: null };
    this.#output.streamed(this.parent, { type: 'message_delta', delta, usage: writeUsage(this.usage) });
  }

  end(stop: string | null): void {
    if (!this.isStreaming) return;
    this.#ended = true;
    this.settle(stop);
    this.#output.streamed(this.parent, { type: 'message_stop' });
  }

  #startBlock(index: number, block: JsonObject): void {
    this.#output.streamed(this.parent, { type: 'content_block_start', index, content_block: block });
  }

  #body(content: Json[]): JsonObject {
    return {
      id: this.id,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: writeUsage(this.usage),
    };
  }
}
