import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { filled, list, object } from '../../read.ts';
import { type Ending, endTurn } from './ending.ts';
import type { Messages } from './messages.ts';
import type { Tools } from './tools.ts';

/** A session file holds complete messages in their original order. */
export class SessionFile {
  readonly #sink: DecoderSink;
  readonly #messages: Messages;
  readonly #tools: Tools;
  readonly #ending: Ending;
  /** The message whose turn is open: its tools follow it. */
  #open: JsonObject | undefined;

  constructor(sink: DecoderSink, messages: Messages, tools: Tools, ending: Ending) {
    this.#sink = sink;
    this.#messages = messages;
    this.#tools = tools;
    this.#ending = ending;
  }

  /** A message by the assistant, and the calls that it makes. */
  answer(message: JsonObject): void {
    this.#sink.emit({ type: 'turn.started', ...present({ model: filled(message.model) }) });
    this.#messages.start();
    this.#messages.end(message);
    for (const each of list(message.content)) {
      const block = object(each);
      if (block.type !== 'toolCall') continue;
      this.#tools.start({ toolCallId: block.id ?? null, toolName: block.name ?? null, args: block.arguments ?? null });
    }
    this.#open = message;
  }

  closeTurn(): void {
    const message = this.#open;
    if (message === undefined) return;
    this.#open = undefined;
    this.#messages.end(message);
    endTurn(this.#sink, this.#ending.reason);
    this.#ending.isFinished = message.stopReason === 'stop';
  }
}
