import { present } from '../../../present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { providerError, turnLimit } from '../words.ts';
import type { Ending } from './ending.ts';

/** How much of a text is needed to see whether it is Goose's own. */
const headLength = turnLimit.length;

interface Block {
  id: string;
  kind: 'text' | 'reasoning';
  text: string;
  /** The beginning of the text, as far as it matters. */
  head: string;
  /** The text is Goose's, not the model's. */
  own: boolean;
}

/** Texts come in pieces; all pieces of one message follow each other. */
export class Texts {
  readonly #sink: DecoderSink;
  readonly #ending: Ending;
  #block: Block | undefined;
  #blocks = 0;

  constructor(sink: DecoderSink, ending: Ending) {
    this.#sink = sink;
    this.#ending = ending;
  }

  say(kind: Block['kind'], text: string, messageId: string | undefined): void {
    const block = this.#need(kind, messageId);
    block.text += text;
    if (text.trim() !== '') this.#ending.recover();
    if (kind === 'reasoning') return this.#sink.emit({ type: 'reasoning.delta', block_id: block.id, text });
    this.#ending.lastWord = 'text';
    if (block.head.length < headLength) {
      block.head += text.slice(0, headLength - block.head.length);
      block.own = providerError.test(block.head) || block.head === turnLimit;
    }
    // Goose's own texts come complete, in one piece.
    if (block.own) return;
    this.#sink.emit({ type: 'text.delta', block_id: block.id, text, ...named(messageId) });
  }

  close(messageId: string | undefined): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return;
    const { id, kind, text } = block;
    if (kind === 'reasoning') return this.#sink.emit({ type: 'reasoning.completed', block_id: id, text });
    if (!block.own) return this.#sink.emit({ type: 'text.completed', block_id: id, text, ...named(messageId) });
    const error = providerError.exec(text)?.[1];
    if (error === undefined) this.#ending.limit(text);
    else this.#ending.fail(error.split('\n\nPlease retry')[0] ?? error);
  }

  #need(kind: Block['kind'], messageId: string | undefined): Block {
    if (this.#block?.kind === kind) return this.#block;
    this.close(messageId);
    const block: Block = { id: `block_${++this.#blocks}`, kind, text: '', head: '', own: false };
    this.#block = block;
    return block;
  }
}

function named(messageId: string | undefined): { message_id?: string } {
  return present({ message_id: messageId });
}
