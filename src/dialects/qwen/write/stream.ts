import type { EventOf } from '../../../events/event.ts';
import type { JsonObject } from '../../../json/json.ts';
import type { Output } from './output.ts';

type Delta = EventOf<'text.delta' | 'reasoning.delta'>;

/** The `message_start` … `message_stop` pair of a streamed answer, and the open block inside it. */
export class Stream {
  readonly #output: Output;
  #isOpen = false;
  #isFresh = false;
  #isRetried = false;
  /** The message whose text is being streamed. */
  #message: string | undefined;
  #block: { kind: 'text' | 'thinking'; parent: string | null } | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether no line has followed since it was opened. */
  takeFresh(): boolean {
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    return isFresh;
  }

  start(): void {
    if (this.#isOpen) return;
    this.#output.open();
    this.#isOpen = true;
    this.#isFresh = true;
    this.#message = undefined;
    const message = { id: this.#output.nextId(), role: 'assistant', model: this.#output.model, content: [] };
    this.event({ type: 'message_start', message });
  }

  stop(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.event({ type: 'message_stop' });
  }

  /** A reader takes all text between start and stop for one message, except what follows a retry. */
  isOfAnother(message: string): boolean {
    return this.#isOpen && this.#message !== undefined && this.#message !== message && !this.#isRetried;
  }

  enter(message: string): void {
    this.start();
    this.#message = message;
    this.#isRetried = false;
  }

  retry(): void {
    this.#isRetried = this.#isOpen;
  }

  isInBlock(event: Delta): boolean {
    return this.#block?.kind === kindOf(event) && this.#block.parent === (event.parent_item_id ?? null);
  }

  openBlock(event: Delta): void {
    const kind = kindOf(event);
    const parent = event.parent_item_id ?? null;
    this.#block = { kind, parent };
    const empty = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' };
    this.event({ type: 'content_block_start', index: 0, content_block: empty }, parent);
  }

  delta(event: Delta): void {
    const piece =
      event.type === 'text.delta'
        ? { type: 'text_delta', text: event.text }
        : { type: 'thinking_delta', thinking: event.text };
    this.event({ type: 'content_block_delta', index: 0, delta: piece }, event.parent_item_id);
  }

  closeBlock(): void {
    if (this.#block === undefined) return;
    this.event({ type: 'content_block_stop', index: 0 }, this.#block.parent);
    this.#block = undefined;
  }

  call(tool: JsonObject, args: string, parent: string | null): void {
    this.event({ type: 'content_block_start', index: 0, content_block: { ...tool, input: {} } }, parent);
    this.event(
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } },
      parent,
    );
    this.event({ type: 'content_block_stop', index: 0 }, parent);
  }

  event(event: JsonObject, parent: string | null = null): void {
    this.#output.line('stream_event', { event }, parent);
  }
}

function kindOf(event: Delta): 'text' | 'thinking' {
  return event.type === 'text.delta' ? 'text' : 'thinking';
}
