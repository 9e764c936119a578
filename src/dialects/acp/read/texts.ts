import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import { Pieces } from '../../kit/pieces.ts';

interface Block {
  kind: 'text' | 'reasoning';
  id: string;
  messageId: string | undefined;
  text: Pieces;
}

export interface TextChunk {
  kind: Block['kind'];
  text: string;
  messageId: string | undefined;
  /** The call that started the sub-agent that wrote the text. */
  parent: string | undefined;
  /** The text does not continue the previous one. */
  isNew: boolean;
}

/** Texts come in chunks without block ids: a text ends when something else comes. */
export class Texts {
  readonly #sink: DecoderSink;
  /** By the call that they belong to; '' is the main thread. */
  readonly #open = new Map<string, Block>();
  #count = 0;
  /** The last text of the main thread, unless a call followed it. */
  #answer: { block: Block; lastChunk: string } | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  say({ kind, text, messageId, parent, isNew }: TextChunk): void {
    if (text === '' && !isNew) return;
    const before = this.#open.get(parent ?? '');
    const isSame = before !== undefined && !isNew && before.kind === kind && before.messageId === messageId;
    if (!isSame) this.close(parent);
    const block = isSame ? before : this.#begin(kind, messageId, parent);
    block.text.add(text);
    if (kind === 'text' && parent === undefined) this.#answer = { block, lastChunk: text };
    this.#sink.emit({ type: kind === 'text' ? 'text.delta' : 'reasoning.delta', ...placeOf(block, parent), text });
  }

  close(parent?: string): void {
    const block = this.#open.get(parent ?? '');
    if (block === undefined) return;
    this.#open.delete(parent ?? '');
    const type = block.kind === 'text' ? 'text.completed' : 'reasoning.completed';
    this.#sink.emit({ type, ...placeOf(block, parent), text: block.text.toString() });
  }

  /** A call begins: what was said before it is not the answer. */
  interrupt(): void {
    this.close();
    this.#answer = undefined;
  }

  /** The answer so far, and its last chunk: an agent that speaks for itself does so in one. */
  get answer(): { text: string; lastChunk: string } | undefined {
    return this.#answer && { text: this.#answer.block.text.toString(), lastChunk: this.#answer.lastChunk };
  }

  closeAll(): void {
    for (const parent of this.#open.keys()) this.close(parent === '' ? undefined : parent);
  }

  /** A prompt begins. */
  begin(): void {
    this.#answer = undefined;
  }

  #begin(kind: Block['kind'], messageId: string | undefined, parent: string | undefined): Block {
    const block = { kind, id: `block_${++this.#count}`, messageId, text: new Pieces() };
    this.#open.set(parent ?? '', block);
    return block;
  }
}

function placeOf({ id, messageId }: Block, parent: string | undefined) {
  return { block_id: id, ...present({ message_id: messageId, parent_item_id: parent }) };
}
