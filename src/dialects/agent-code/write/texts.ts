import type { EventOf } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Turns } from './turns.ts';

/** A turn has only one text here: the blocks of a message are joined, and another message is another turn. */
export class Texts {
  readonly #sink: EncoderSink;
  readonly #turns: Turns;
  #turn = 0;
  #message: string | undefined;
  #lastMessage: string | undefined;
  #block: string | undefined;
  /** Blocks of this turn that may still be continued. */
  #openBlocks = new Set<string>();
  /** The white space at the start of a block, held back: a blank text is not written. */
  #blank: string | undefined;

  constructor(sink: EncoderSink, turns: Turns) {
    this.#sink = sink;
    this.#turns = turns;
  }

  say({ block_id, message_id, text }: EventOf<'text.delta'>): void {
    if (this.#turn !== this.#turns.current) {
      this.#enterTurn();
      this.#block = undefined;
    }
    if (block_id !== this.#block) this.#enterBlock(block_id);
    if (this.#blank === undefined) return this.#write(text);
    if (text.trim() === '') {
      this.#blank += text;
      return;
    }
    const words = this.#blank + text;
    this.#blank = undefined;
    this.#enterMessage(message_id);
    this.#write(this.#message === undefined ? words : `\n${words}`);
    this.#message = message_id;
    this.#lastMessage = message_id;
  }

  complete({ block_id }: EventOf<'text.completed'>): void {
    this.#openBlocks.delete(block_id);
    if (this.#block === block_id) this.#block = undefined;
  }

  #enterTurn(): void {
    this.#turn = this.#turns.current;
    this.#message = undefined;
    this.#openBlocks = new Set();
  }

  #enterBlock(id: string): void {
    // Text of another block came between, and a reader cannot separate the two.
    if (this.#openBlocks.has(id)) this.#sink.lose('text');
    this.#openBlocks.add(id);
    this.#block = id;
    this.#blank = '';
  }

  #enterMessage(id: string): void {
    if (this.#message !== undefined && this.#message !== id) {
      this.#turns.start();
      this.#enterTurn();
      this.#sink.lose('turn_boundary');
    } else if (this.#message === undefined && this.#lastMessage === id) this.#sink.lose('text');
  }

  #write(content: string): void {
    if (content === '') return;
    this.#turns.endsInError = false;
    this.#sink.line({ type: 'text_delta', content, turn: this.#turns.current });
  }
}
