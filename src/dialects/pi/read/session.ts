import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object, string } from '../../../json/read.ts';
import { Generations } from '../../kit/generations.ts';
import { type Ending, endTurn } from './ending.ts';
import type { Messages } from './messages.ts';
import type { Tools } from './tools.ts';

/** More than a session has. */
const rememberedMessages = 50_000;

/** A session file holds complete messages in their original order. */
export class SessionFile {
  readonly #sink: DecoderSink;
  readonly #messages: Messages;
  readonly #tools: Tools;
  readonly #ending: Ending;
  /** The message whose turn is open: its tools follow it. */
  #open: JsonObject | undefined;
  readonly #seen = new Generations<true>(rememberedMessages);

  constructor(sink: DecoderSink, messages: Messages, tools: Tools, ending: Ending) {
    this.#sink = sink;
    this.#messages = messages;
    this.#tools = tools;
    this.#ending = ending;
  }

  /** A new branch repeats messages of the old one as they were, under other ids. */
  isCopy(message: JsonObject): boolean {
    if (typeof message.timestamp !== 'number') return false;
    const key = `${message.timestamp} ${asText(message.role)} ${asText(message.toolCallId)} ${asText(object(message.usage).totalTokens)} ${markOf(message)}`;
    if (this.#seen.get(key) === true) return true;
    this.#seen.set(key, true);
    return false;
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

/** Enough to recognise the first block of a message: messages of the same moment may differ in it. */
function markOf({ content }: JsonObject): string {
  const first = object(list(content)[0]);
  const text = string(content) ?? string(first.text) ?? string(first.thinking) ?? asText(first.id);
  return [text.length, text.slice(0, 40)].join(' ');
}
