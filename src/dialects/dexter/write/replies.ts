import type { EventOf } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';

/** The model's replies: requests, texts, and whether a reply calls tools. */
export class Replies {
  readonly #sink: EncoderSink;
  #message: string | undefined;
  #toolsCalled = false;
  /** Text that is the answer if nothing follows it, and `thinking` otherwise. */
  #pending: string | undefined;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  request(): void {
    if (this.#pending !== undefined) this.flush();
    this.#toolsCalled = false;
    this.#progress('requesting', 0);
  }

  say(event: EventOf<'text.completed'>): void {
    if (event.parent_item_id !== undefined) return this.#sink.lose('sub_agent');
    if (event.text.trim() === '') return;
    if (this.#pending !== undefined && this.#message === event.message_id) {
      this.#pending += `\n${event.text}`;
      return;
    }
    if (this.#pending !== undefined) this.flush();
    this.#message = event.message_id;
    // Text after tools or after other text is another reply by the model.
    if (this.#toolsCalled) {
      this.#sink.lose('turn_boundary');
      this.request();
    }
    this.#pending = event.text;
  }

  /** The reply calls a tool. */
  call(): void {
    const text = this.#take();
    if (!this.#toolsCalled) this.#progress('tool-use', 0);
    this.#toolsCalled = true;
    if (text !== undefined) this.#sink.line({ type: 'thinking', message: text });
  }

  /** The pending text was not the answer. */
  flush(): void {
    const text = this.#take();
    if (text === undefined) return;
    this.#toolsCalled = true;
    this.#sink.line({ type: 'thinking', message: text });
  }

  /** The pending text, or else the earlier one, repeated: only the last reply can be the answer. */
  answer(text: string): string {
    if (this.#pending === undefined && text !== '') {
      this.request();
      this.#pending = text;
    }
    return this.#take() ?? '';
  }

  #take(): string | undefined {
    const text = this.#pending;
    this.#pending = undefined;
    if (text !== undefined) this.#progress('responding', text.length);
    return text;
  }

  #progress(mode: string, charDelta: number): void {
    this.#sink.line({ type: 'stream_progress', charDelta, mode });
  }
}
