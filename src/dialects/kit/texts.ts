import type { Draft, EventOf } from '../../events/event.ts';
import type { Json } from '../../json/json.ts';
import { asText, list, object } from '../../json/read.ts';
import type { DecoderSink } from '../dialect.ts';
import { Pieces } from './pieces.ts';

type TextDraft = Extract<Draft, { type: 'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed' }>;
type Ids = { readonly [Id in 'message_id' | 'block_id' | 'parent_item_id']?: EventOf<'text.delta'>[Id] | undefined };

/** A text of the model that comes in pieces, after which the wire may repeat the whole. */
export class Block {
  readonly kind: 'text' | 'reasoning';
  readonly #sink: DecoderSink;
  readonly #ids: Ids;
  /** The first piece, which most texts consist of; the others are in `#rest`. */
  #first = '';
  #rest: Pieces | undefined;
  #whole: string | undefined;

  constructor(sink: DecoderSink, kind: 'text' | 'reasoning', ids: Ids = {}) {
    this.#sink = sink;
    this.kind = kind;
    this.#ids = ids;
  }

  get length(): number {
    return this.#first.length + (this.#rest?.length ?? 0);
  }

  /** The whole if it is complete, or what came so far. */
  get text(): string {
    return this.#whole ?? (this.#rest === undefined ? this.#first : this.#first + this.#rest.toString());
  }

  get isComplete(): boolean {
    return this.#whole !== undefined;
  }

  add(text: string): void {
    this.keep(text);
    this.#emit(this.kind === 'text' ? 'text.delta' : 'reasoning.delta', text);
  }

  /** Adds a piece that is not to be shown by itself. */
  keep(text: string): void {
    if (this.#first === '') this.#first = text;
    else (this.#rest ??= new Pieces()).add(text);
  }

  /** `text`: the whole, if the wire says it. */
  complete(text: string = this.text): void {
    this.#whole = text;
    this.#emit(this.kind === 'text' ? 'text.completed' : 'reasoning.completed', text);
  }

  #emit(type: TextDraft['type'], text: string): void {
    const { message_id, block_id, parent_item_id } = this.#ids;
    const draft: TextDraft = { type, text };
    if (message_id !== undefined) draft.message_id = message_id;
    if (block_id !== undefined) draft.block_id = block_id;
    if (parent_item_id !== undefined) draft.parent_item_id = parent_item_id;
    this.#sink.emit(draft);
  }
}

/** The text of a message whose content is a string, or a list of parts of which some are texts. */
export function textOf(content: Json | undefined, separator = '\n'): string {
  if (typeof content === 'string') return content;
  let text: string | undefined;
  for (const each of list(content)) {
    const part = object(each);
    if (part.type === 'text') text = text === undefined ? asText(part.text) : text + separator + asText(part.text);
  }
  return text ?? '';
}
