import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, list, object, string } from '../../../json/read.ts';
import { Generations } from '../../kit/generations.ts';
import { Lanes } from '../../kit/lanes.ts';
import { isAny, plus, type Tokens } from '../../kit/tokens.ts';
import { codeOfFault, finishOf, interruption, synthetic } from '../words.ts';
import { newFacts, type TurnFacts } from './ending.ts';
import { Message } from './message.ts';
import { nonExecutionIn, type Tools } from './tools.ts';
import { readMessagesUsage } from '../../kit/messages-usage.ts';

const ignoredBlocks = new Set(['redacted_thinking', 'compaction', 'container_upload', 'fallback', 'image', 'document']);

const rememberedMessages = 2000;

/** The messages of the main thread and of sub-agents, each of which has one message at a time. */
export class Conversation {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;
  readonly #messages = new Lanes<Message>();
  /** Lines of two messages may be interleaved, and a resumed session repeats whole messages. */
  #earlier = new Generations<Message>(rememberedMessages);
  /** The session's file does not say which call started a sub-agent. */
  #byId = new Generations<Message>(rememberedMessages);
  #facts = newFacts();
  #subAgentUsage: Tokens = {};
  #used: Tokens = {};
  #mainModel: string | undefined;
  #turns = 0;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  get facts(): TurnFacts {
    return this.#facts;
  }

  /** How many messages of the main thread were read. */
  get turns(): number {
    return this.#turns;
  }

  get mainModel(): string | undefined {
    return this.#mainModel;
  }

  get subAgentUsage(): Tokens {
    return this.#subAgentUsage;
  }

  /** What all messages of the run together used, so far as they tell. */
  get used(): Tokens {
    return this.#used;
  }

  assistant(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const body = object(wire.message);
    if (wire.aborted === true) this.#facts.interrupted = true;
    const fault = filled(wire.error);
    const ownWords = body.model !== synthetic;
    const isFlagged = wire.isApiErrorMessage === true;
    if (!ownWords || isFlagged) {
      // Builds without the `error` field show a failure by this text alone; session files have a flag.
      const text = textOf(body.content);
      if (fault !== undefined || isFlagged || text.startsWith('API Error')) {
        // A request that was refused is paid for.
        if (isAny(readMessagesUsage(object(body.usage)))) this.#count(this.#enter(parent, body), object(body.usage));
        const code = body.stop_reason === 'refusal' ? 'refused' : undefined;
        return this.#fail(fault ?? 'unknown', text, parent, integer(wire.apiErrorStatus), code);
      }
    }
    const message = this.#enter(parent, body);
    if (wire.aborted === true) this.#facts.interrupted = true;
    if (ownWords) this.#count(message, object(body.usage));
    this.#stop(message, body.stop_reason);
    if (typeof body.content === 'string') this.#say(message, body.content);
    const unknown = list(body.content).filter((each) => !this.#block(message, object(each)));
    if (unknown.length > 0) this.#sink.unknown({ ...wire, message: { ...body, content: unknown } });
    if (fault !== undefined) this.#fail(fault, fault, parent);
  }

  user(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const { content } = object(wire.message);
    const results = list(content)
      .map(object)
      .filter((block) => block.type === 'tool_result');
    if (results.length === 0) return this.#prompt(wire, textOf(content), parent);
    // The tool's own structured output belongs to the one result of this line.
    const details = results.length === 1 ? object(wire.tool_use_result) : object(undefined);
    const nonExecution = nonExecutionIn(wire.tool_result_meta);
    for (const block of results) {
      const id = filled(block.tool_use_id);
      if (id === undefined) continue;
      this.forget(id);
      this.#tools.end(id, block, nonExecution(id), details);
    }
    // Messages without an id are distinguished by the results between them.
    if (parent === undefined && this.#messages.get(undefined)?.id === undefined) this.closeTurn();
  }

  /** A raw event from the model's API. */
  stream(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const event = object(wire.event);
    switch (event.type) {
      case 'content_block_delta':
        return this.#delta(parent, event, wire);
      case 'message_start': {
        const body = object(event.message);
        return this.#count(this.#enter(parent, body), object(body.usage));
      }
      case 'content_block_start':
        return this.#add(parent, event.index, 'text', filled(object(event.content_block).text) ?? '');
      case 'content_block_stop':
        return this.#messages.get(parent)?.endBlock(event.index);
      case 'message_delta': {
        const message = this.#messages.get(parent);
        if (message === undefined) return;
        this.#stop(message, object(event.delta).stop_reason);
        return this.#count(message, object(event.usage));
      }
      case 'error':
        return this.#sink.emit({
          type: 'log',
          stream: 'agent',
          level: 'warning',
          text: asText(object(event.error).message),
        });
      case 'message_stop':
      case 'ping':
        return;
      default:
        return this.#sink.unknown(wire);
    }
  }

  /** A text that only the result line contains. */
  speak(id: string, text: string): void {
    this.closeTurn();
    this.#say(this.#enter(undefined, { id }), text);
  }

  /** `stop`: the stop reason that the result line gives for the turn it ends. */
  closeTurn(stop?: string): void {
    const message = this.#messages.get(undefined);
    if (message === undefined) return;
    this.#messages.delete(undefined);
    this.#sink.emit({ type: 'turn.completed', ...finishOf(message.stop ?? stop, message.calledTools) });
  }

  /** The sub-agent that this call started is done. */
  forget(call: string): void {
    this.#messages.delete(call);
  }

  /** After a result: what follows is judged on its own. */
  startAnew(): void {
    this.#facts = newFacts();
    this.#subAgentUsage = {};
    this.#earlier = new Generations(rememberedMessages);
    this.#byId = new Generations(rememberedMessages);
  }

  /** The same message in the session's file, which has what it used in the end. */
  complete(wire: JsonObject): void {
    const body = object(wire.message);
    const message = this.#byId.get(filled(body.id) ?? '');
    if (message !== undefined) this.#count(message, object(body.usage));
  }

  #enter(parent: string | undefined, wire: JsonObject): Message {
    const id = filled(wire.id);
    const known = this.#messages.get(parent);
    if (known !== undefined && (id === undefined || known.id === id)) return known;
    const earlier = id === undefined ? undefined : this.#earlier.get(`${parent ?? ''} ${id}`);
    if (earlier !== undefined) {
      earlier.isToldAgain = true;
      if (known !== undefined) known.isToldAgain = true;
      return earlier;
    }
    if (parent === undefined) this.closeTurn();
    const model = wire.model === synthetic ? undefined : filled(wire.model);
    const message = new Message(id, parent, model);
    this.#messages.set(parent, message);
    if (id !== undefined) {
      this.#earlier.set(`${parent ?? ''} ${id}`, message);
      this.#byId.set(id, message);
    }
    if (parent === undefined) {
      this.#turns += 1;
      this.#facts.active = true;
      this.#facts.stop = undefined;
      this.#facts.fault = undefined;
      if (model !== undefined) this.#answer();
      this.#mainModel = model ?? this.#mainModel;
      this.#sink.emit({ type: 'turn.started', ...present({ turn_id: id, model }) });
    }
    return message;
  }

  /** The model speaks again after a refusal or an interruption. */
  #answer(): void {
    this.#facts.hasCalledModel = true;
    this.#facts.refused = false;
    this.#facts.interrupted = false;
  }

  #count(message: Message, usage: JsonObject): void {
    const more = message.count(usage);
    if (more === undefined) return;
    this.#used = plus(this.#used, more);
    if (message.parent !== undefined) this.#subAgentUsage = plus(this.#subAgentUsage, more);
    this.#sink.emit({ type: 'usage.reported', scope: 'step', ...present({ model: message.model }), ...more });
  }

  #stop(message: Message, raw: Json | undefined): void {
    if (typeof raw !== 'string') return;
    message.stop = raw;
    if (message !== this.#messages.get(undefined)) return;
    this.#facts.stop = raw;
    if (raw === 'refusal') this.#facts.refused = true;
  }

  #say(message: Message, text: string): void {
    if (message.parent === undefined && text.trim() !== '' && !message.hasSaid('text', text))
      this.#facts.lastText = text;
    message.say('text', text, this.#sink);
  }

  /** False: a block of an unknown kind. */
  #block(message: Message, block: JsonObject): boolean {
    const type = string(block.type) ?? '';
    if (type === 'text') this.#say(message, asText(block.text));
    else if (type === 'thinking') message.say('reasoning', asText(block.thinking), this.#sink);
    else if (type === 'tool_use' || type.endsWith('_tool_use')) {
      const id = filled(block.id);
      if (id === undefined) return false;
      if (message.hasCalled(id)) return true;
      this.#tools.start(id, block, message.id, message.parent);
    } else if (type.endsWith('_tool_result')) {
      const id = filled(block.tool_use_id);
      if (id === undefined) return false;
      this.#tools.endOnServer(id, block);
    } else return ignoredBlocks.has(type);
    return true;
  }

  /** An API failure appears as a text that no model wrote, with the kind of failure beside it. */
  #fail(name: string, message: string, parent: string | undefined, status?: number, given?: ErrorCode): void {
    const code = given ?? codeOfFault(name, message, status);
    if (parent === undefined) {
      this.#facts.active = true;
      this.#facts.fault = code;
    }
    this.#sink.emit({
      type: 'error',
      scope: 'provider',
      code,
      name,
      message,
      fatal: parent === undefined,
      ...present({ item_id: parent }),
    });
  }

  #prompt(wire: JsonObject, text: string, parent: string | undefined): void {
    if (parent !== undefined || text.trim() === '') return;
    if (text.startsWith(interruption)) {
      this.#facts.interrupted = true;
      return;
    }
    const origin = string(object(wire.origin).kind);
    if (wire.isSynthetic === true || (origin !== undefined && origin !== 'human')) return;
    this.#sink.emit({ type: 'prompt.submitted', text });
  }

  #delta(parent: string | undefined, event: JsonObject, line: JsonObject): void {
    const change = object(event.delta);
    switch (change.type) {
      case 'text_delta':
        return this.#add(parent, event.index, 'text', asText(change.text));
      case 'thinking_delta':
        return this.#add(parent, event.index, 'reasoning', asText(change.thinking));
      case 'input_json_delta':
      case 'signature_delta':
      case 'citations_delta':
      case 'compaction_delta':
        return;
      default:
        return this.#sink.unknown(line);
    }
  }

  #add(parent: string | undefined, index: Json | undefined, kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    const message = this.#messages.get(parent) ?? this.#enter(parent, {});
    message.add(index, kind, text, this.#sink);
  }
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map(object)
    .filter((each) => each.type === 'text')
    .map((each) => asText(each.text))
    .join('\n');
}
