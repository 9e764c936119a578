import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { Pieces } from '../../pieces.ts';
import { asText, filled, string } from '../../read.ts';

/** Texts and reasoning of the model, and of its sub-agents' models. */
export class Messages {
  readonly #sink: DecoderSink;
  /** The reasoning of the next message has already been emitted. */
  #hasReasoned = false;
  /** What is being said, by the call that started the sub-agent; undefined is the main thread. */
  readonly #streams = new Map<string | undefined, { id: string | undefined; text: Pieces }>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  delta(type: 'text.delta' | 'reasoning.delta', data: JsonObject, parent: string | undefined): void {
    const text = string(data.deltaContent) ?? '';
    if (text === '') return;
    const place = { parent_item_id: parent };
    if (type === 'reasoning.delta') return this.#sink.emit({ type, text, ...present({ ...place, block_id: filled(data.reasoningId) }) });
    const id = filled(data.messageId);
    this.#abandonOther(id, parent);
    const stream = this.#streams.get(parent) ?? { id, text: new Pieces() };
    stream.text.add(text);
    this.#streams.set(parent, stream);
    this.#sink.emit({ type, text, ...present({ ...place, message_id: id, block_id: id }) });
  }

  /** After a broken stream the model answers again, in another message: the first one ends here, with what came of it. */
  #abandonOther(id: string | undefined, parent: string | undefined): void {
    const stream = this.#streams.get(parent);
    if (stream?.id === undefined || stream.id === id) return;
    this.#streams.delete(parent);
    const place = present({ parent_item_id: parent, message_id: stream.id, block_id: stream.id });
    this.#sink.emit({ type: 'text.completed', text: stream.text.toString(), ...place });
  }

  reason(data: JsonObject, parent: string | undefined): void {
    this.#hasReasoned = true;
    const place = present({ parent_item_id: parent, block_id: filled(data.reasoningId) });
    this.#sink.emit({ type: 'reasoning.completed', text: asText(data.content), ...place });
  }

  /** Returns whether the message has text: one that only calls tools has no content. */
  say(data: JsonObject, parent: string | undefined): boolean {
    const place = present({ parent_item_id: parent });
    const thought = filled(data.reasoningText);
    if (thought !== undefined && !this.#hasReasoned) this.#sink.emit({ type: 'reasoning.completed', text: thought, ...place });
    this.#hasReasoned = false;
    const text = asText(data.content);
    if (text === '') return false;
    const id = filled(data.messageId);
    this.#abandonOther(id, parent);
    this.#streams.delete(parent);
    this.#sink.emit({ type: 'text.completed', text, ...place, ...present({ message_id: id, block_id: id }) });
    return true;
  }
}
