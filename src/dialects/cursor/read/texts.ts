import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, list, object, string } from '../../read.ts';

/** The text since the last tool call. `whole`: its complete line, which repeats the deltas, has come. */
interface Segment {
  id: string;
  text: string;
  whole: boolean;
}

/** The model's texts and thoughts: in one piece, or in deltas that a complete line repeats. */
export class Texts {
  readonly #sink: DecoderSink;
  #segments = 0;
  #segment: Segment | undefined;
  #thought = '';
  /** Deltas carry a time; once one has been seen, a line without a time is the repetition. */
  #timed = false;
  hasSpoken = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  say(wire: JsonObject): void {
    this.#closeThought();
    const text = textOf(object(wire.message).content);
    if (text === '') return;
    this.hasSpoken = true;
    const delta = 'timestamp_ms' in wire && !('model_call_id' in wire);
    this.#timed ||= delta;
    if (!delta && this.#segment !== undefined && this.#segment.text === text) {
      if (!this.#segment.whole) this.#sayWhole(text);
      return;
    }
    if (this.#segment?.whole === true) this.#segment = undefined;
    if (!delta && this.#timed) return this.#sayWhole(text);
    const segment = this.#needSegment();
    segment.text += text;
    this.#sink.emit({ type: 'text.delta', text, message_id: segment.id, block_id: segment.id });
  }

  think(wire: JsonObject): void {
    this.#closeSegment();
    const text = string(wire.text) ?? '';
    if (wire.subtype === 'delta') {
      this.#thought += text;
      if (text !== '') this.#sink.emit({ type: 'reasoning.delta', text });
      return;
    }
    if (text !== '') this.#thought = text;
    this.#closeThought();
  }

  /** Something else comes. */
  close(): void {
    this.#closeThought();
    this.#closeSegment();
  }

  #closeSegment(): void {
    if (this.#segment !== undefined && !this.#segment.whole) this.#sayWhole(this.#segment.text);
    this.#segment = undefined;
  }

  #closeThought(): void {
    if (this.#thought !== '') this.#sink.emit({ type: 'reasoning.completed', text: this.#thought });
    this.#thought = '';
  }

  #sayWhole(text: string): void {
    const segment = this.#needSegment();
    segment.text = text;
    segment.whole = true;
    this.#sink.emit({ type: 'text.completed', text, message_id: segment.id, block_id: segment.id });
  }

  #needSegment(): Segment {
    this.#segment ??= { id: `segment_${++this.#segments}`, text: '', whole: false };
    return this.#segment;
  }
}

export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const each of list(content)) {
    const part = object(each);
    if (part.type === 'text') text += asText(part.text);
  }
  return text;
}
