import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, filled, list, object, wordIn } from '../../read.ts';
import { finishReasons } from '../words.ts';
import type { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

/** A message may be printed again when it is complete, so its earlier content and its latest usage are kept. */
interface Message {
  id: string;
  seen: Set<string>;
  usage: JsonObject;
  model: string | undefined;
  stopReason: Json | undefined;
  /** It has stopped, or another message came between: without an id, what follows is a new message. */
  isOver: boolean;
}

/** The messages of the model, and of the models that its tools use. */
export class Messages {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;
  /** The open message of each thread: the main one under '', a sub-agent's under the id of its tool call. */
  readonly #open = new Map<string, Message>();
  hasSpoken = false;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  read(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const body = object(wire.message);
    const message = this.#need(parent, body);
    for (const each of list(body.content)) this.#readBlock(object(each), parent, message.seen);
    if (body.usage !== undefined) message.usage = object(body.usage);
    message.stopReason = body.stop_reason ?? message.stopReason;
    if (filled(message.stopReason) !== undefined) message.isOver = true;
  }

  /** Another message comes in this thread. */
  interrupt(parent: string | undefined): void {
    const message = this.#open.get(parent ?? '');
    if (message !== undefined) message.isOver = true;
  }

  /** The message of the tool call with this id is over; without one: the main one. */
  close(parent?: string): void {
    const message = this.#open.get(parent ?? '');
    if (message === undefined) return;
    this.#open.delete(parent ?? '');
    readUsage(this.#sink, 'step', message.usage, message.model);
    if (parent !== undefined) return;
    // null while the message is still streaming.
    const raw = filled(message.stopReason);
    const reason = raw === undefined ? undefined : (wordIn(finishReasons, raw) ?? 'other');
    this.#sink.emit({ type: 'turn.completed', ...present({ finish_reason: reason, raw_finish_reason: raw }) });
  }

  closeAll(): void {
    for (const parent of this.#open.keys()) this.close(parent === '' ? undefined : parent);
  }

  #need(parent: string | undefined, body: JsonObject): Message {
    const id = filled(body.id) ?? '';
    const known = this.#open.get(parent ?? '');
    if (known?.id === id && (id !== '' || !known.isOver)) return known;
    this.close(parent);
    const message: Message = { id, seen: new Set(), usage: {}, model: filled(body.model), stopReason: undefined, isOver: false };
    this.#open.set(parent ?? '', message);
    if (parent === undefined) this.#sink.emit({ type: 'turn.started', ...present({ model: message.model }) });
    return message;
  }

  #readBlock(part: JsonObject, parent: string | undefined, seen: Set<string>): void {
    switch (part.type) {
      case 'text':
      case 'thinking': {
        const text = asText(part.text ?? part.thinking);
        const key = `${part.type} ${text}`;
        if (text === '' || seen.has(key)) return;
        seen.add(key);
        const place = present({ parent_item_id: parent });
        if (part.type === 'thinking') return this.#sink.emit({ type: 'reasoning.completed', text, ...place });
        if (parent === undefined) this.hasSpoken = true;
        return this.#sink.emit({ type: 'text.completed', text, ...place });
      }
      case 'tool_use': {
        const id = filled(part.id);
        if (id === undefined) return this.#sink.unknown(part);
        if (this.#tools.isOpen(id) || seen.has(id)) return;
        seen.add(id);
        return this.#tools.start(id, part, parent);
      }
      case 'redacted_thinking':
        return;
      default:
        return this.#sink.unknown(part);
    }
  }
}
