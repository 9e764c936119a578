import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { Pieces } from '../../pieces.ts';
import { asText, filled, string } from '../../read.ts';

interface Stream {
  id: string | undefined;
  /** How often it was started again, under the same id. */
  restarts: number;
  text: Pieces;
}

/** Texts and reasoning of the model, and of its sub-agents' models. */
export class Messages {
  readonly #sink: DecoderSink;
  /** The reasoning of the next message has already been emitted. */
  #hasReasoned = false;
  /** What is being said, by the call that started the sub-agent; undefined is the main thread. */
  readonly #streams = new Map<string | undefined, Stream>();

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
    const stream = this.#streams.get(parent) ?? { id, restarts: 0, text: new Pieces() };
    stream.text.add(text);
    this.#streams.set(parent, stream);
    this.#sink.emit({ type, text, ...present({ ...place, ...idsOf(stream) }) });
  }

  /** After a broken stream the model may answer again in the same message, which replaces what came of the first. */
  start(id: string | undefined, parent: string | undefined): void {
    const stream = this.#streams.get(parent);
    if (stream?.id === undefined || stream.id !== id || stream.text.length === 0) return;
    this.#abandon(stream, parent);
    this.#streams.set(parent, { id, restarts: stream.restarts + 1, text: new Pieces() });
  }

  /** Or in another message: the first one ends here, with what came of it. */
  #abandonOther(id: string | undefined, parent: string | undefined): void {
    const stream = this.#streams.get(parent);
    if (stream?.id !== undefined && stream.id !== id) this.#abandon(stream, parent);
  }

  #abandon(stream: Stream, parent: string | undefined): void {
    this.#streams.delete(parent);
    if (stream.text.length === 0) return;
    this.#sink.emit({ type: 'text.completed', text: stream.text.toString(), ...present({ parent_item_id: parent, ...idsOf(stream) }) });
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
    const stream = this.#streams.get(parent) ?? { id, restarts: 0 };
    this.#streams.delete(parent);
    this.#sink.emit({ type: 'text.completed', text, ...place, ...present(idsOf(stream)) });
    return true;
  }
}

/** A message that was started again is another one. */
function idsOf({ id, restarts }: Pick<Stream, 'id' | 'restarts'>): { message_id: string | undefined; block_id: string | undefined } {
  const told = restarts === 0 ? id : `${id}_${restarts}`;
  return { message_id: told, block_id: told };
}
