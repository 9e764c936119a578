import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, list, object, string } from '../../../json/read.ts';
import type { Ending } from './ending.ts';
import { readUsage } from './usage.ts';

/** The assistant's messages: streamed in blocks, and repeated in full at their end. */
export class Messages {
  readonly #sink: DecoderSink;
  readonly #ending: Ending;
  /** Blocks of the current message: what has been streamed, and which have ended. */
  readonly #streamed = new Map<number, string>();
  readonly #ended = new Set<number>();
  #count = 0;
  /** The current message has started; and, second, its end has been read. */
  #started = false;
  #settled = false;

  constructor(sink: DecoderSink, ending: Ending) {
    this.#sink = sink;
    this.#ending = ending;
  }

  start(): void {
    this.#count += 1;
    this.#started = true;
    this.#settled = false;
    this.#ending.begin();
    this.#ended.clear();
    this.#streamed.clear();
  }

  /** A run or a turn starts: the next message is a new one. */
  expect(): void {
    this.#started = false;
    this.#settled = false;
  }

  update(wire: JsonObject): void {
    if (!this.#started) this.start();
    const event = object(wire.assistantMessageEvent);
    const index = integer(event.contentIndex) ?? 0;
    switch (event.type) {
      case 'text_delta':
        return this.#delta('text.delta', index, asText(event.delta));
      case 'thinking_delta':
        return this.#delta('reasoning.delta', index, asText(event.delta));
      case 'text_end':
        return this.#endBlock('text.completed', index, string(event.content));
      case 'thinking_end':
        return this.#endBlock('reasoning.completed', index, string(event.content));
      case 'start':
      case 'text_start':
      case 'thinking_start':
      case 'toolcall_start':
      case 'toolcall_delta':
      case 'toolcall_end':
      case 'done':
      case 'error':
        return;
      default:
        return this.#sink.unknown(wire);
    }
  }

  /** The end of a message is reported three times: by the message, by its turn and by the run. Any of them may be missing. */
  end(message: JsonObject): void {
    if (!this.#settled) {
      if (!this.#started) this.start();
      this.#settled = true;
      list(message.content).forEach((each, index) => {
        const block = object(each);
        if (block.type === 'text') this.#endBlock('text.completed', index, string(block.text));
        else if (block.type === 'thinking') this.#endBlock('reasoning.completed', index, string(block.thinking));
      });
      readUsage(this.#sink, message);
    }
    this.#started = false;
    this.#ending.messageEnded({ reason: asText(message.stopReason), error: filled(message.errorMessage) });
  }

  #delta(type: 'text.delta' | 'reasoning.delta', index: number, text: string): void {
    // With the Google format, every call comes with an empty text.
    if (text === '') return;
    this.#streamed.set(index, (this.#streamed.get(index) ?? '') + text);
    this.#sink.emit({ type, text, ...this.#place(index) });
  }

  #endBlock(type: 'text.completed' | 'reasoning.completed', index: number, text: string | undefined): void {
    if (text === undefined || this.#ended.has(index)) return;
    this.#ended.add(index);
    const streamed = this.#streamed.get(index);
    if (text === '' && streamed === undefined) return;
    this.#streamed.delete(index);
    // With the Responses format, a complete thought lacks the blank lines that were streamed after it.
    const same = streamed !== undefined && streamed.trimEnd() === text.trimEnd();
    this.#sink.emit({ type, text: same ? streamed : text, ...this.#place(index) });
  }

  #place(index: number): { block_id: string; message_id: string } {
    return { block_id: `message_${this.#count}.${index}`, message_id: `message_${this.#count}` };
  }
}
