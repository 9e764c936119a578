import { codeOfMessage } from '../../../outcome/faults.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, isObject, list, object, string, time } from '../../../json/read.ts';
import { Generations } from '../../kit/generations.ts';
import type { Tools } from './tools.ts';

const rememberedMessages = 50_000;

/** A file in `chats/`: one document with all messages, or, in later versions, a line for the session and one for each message. */
export function isSession(wire: JsonObject): boolean {
  return (
    typeof wire.sessionId === 'string' && typeof wire.projectHash === 'string' && typeof wire.startTime === 'string'
  );
}

/** A line of such a file after its first. */
export function isSessionLine(wire: JsonObject): boolean {
  if (isObject(wire.$set) || typeof wire.$rewindTo === 'string') return true;
  return (
    typeof wire.id === 'string' &&
    typeof wire.type === 'string' &&
    typeof wire.timestamp === 'string' &&
    'content' in wire
  );
}

/** The session files of Gemini CLI. They have no last word: a session ended the way its last message ended. */
export class SessionFile {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;
  readonly #seen = new Generations<true>(rememberedMessages);
  #isStarted = false;
  /** What the last message comes to. */
  #end: { status: 'ok' | 'cancelled' } | { status: 'failed'; message: string } | undefined;
  #isTurnOpen = false;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  start(wire: JsonObject): void {
    if (!this.#isStarted) {
      this.#sink.at(time(wire.startTime));
      this.#sink.emit({ type: 'thread.started', agent: 'gemini', ...present({ session_id: filled(wire.sessionId) }) });
    }
    this.#isStarted = true;
    for (const message of list(wire.messages)) this.message(object(message));
  }

  message(wire: JsonObject): void {
    const id = filled(wire.id);
    if (id === undefined || wire.$set !== undefined) return;
    const at = time(wire.timestamp);
    if (at !== undefined) this.#sink.at(at);
    const text = textOf(wire.content);
    const isAgain = this.#seen.get(id) === true;
    // A message grows while its calls are at work: later lines repeat it.
    if (wire.type === 'gemini') return this.#answer(id, wire, text, isAgain);
    if (isAgain) return;
    this.#seen.set(id, true);
    switch (wire.type) {
      case 'user':
        this.#prompt(text);
        return;
      case 'error':
        this.#end = { status: 'failed', message: text };
        this.#sink.emit({ type: 'error', scope: 'agent', code: codeOfMessage(text), message: text, fatal: true });
        return;
      default:
        if (text.startsWith('Request cancelled')) this.#end = { status: 'cancelled' };
        if (text !== '')
          this.#sink.emit({ type: 'log', stream: 'agent', level: wire.type === 'warning' ? 'warning' : 'info', text });
    }
  }

  end(): void {
    this.#closeTurn();
    if (this.#end === undefined) return;
    const { status } = this.#end;
    if (this.#end.status !== 'failed') this.#sink.emit({ type: 'agent.finished', status: this.#end.status });
    else
      this.#sink.emit({
        type: 'agent.finished',
        status: 'failed',
        code: codeOfMessage(this.#end.message),
        message: this.#end.message,
      });
    this.#end = status === 'ok' ? undefined : this.#end;
  }

  #prompt(text: string): void {
    this.end();
    this.#end = undefined;
    if (text.trim() !== '') this.#sink.emit({ type: 'prompt.submitted', text });
  }

  #answer(id: string, wire: JsonObject, text: string, isAgain: boolean): void {
    const model = filled(wire.model);
    if (!isAgain) {
      this.#seen.set(id, true);
      this.#closeTurn();
      this.#isTurnOpen = true;
      this.#sink.emit({ type: 'turn.started', ...present({ model }) });
      for (const thought of list(wire.thoughts).map(object)) {
        const words = [string(thought.subject), string(thought.description)].filter(Boolean).join('\n');
        if (words !== '') this.#sink.emit({ type: 'reasoning.completed', text: words });
      }
    }
    if (text.trim() !== '' && this.#isFirst(`${id} text`))
      this.#sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
    const calls = list(wire.toolCalls).map(object);
    for (const call of calls) this.#call(call);
    if (isObject(wire.tokens) && this.#isFirst(`${id} tokens`)) this.#count(wire.tokens, model);
    this.#end = calls.length === 0 && text.trim() !== '' ? { status: 'ok' } : undefined;
  }

  #call(call: JsonObject): void {
    const id = filled(call.id);
    if (id === undefined) return;
    if (this.#isFirst(`${id} call`)) this.#tools.start(id, { tool_name: call.name ?? '', parameters: call.args ?? {} });
    const status = string(call.status) ?? '';
    if (!ended.has(status) || !this.#isFirst(`${id} end`)) return;
    const result = object(object(object(list(call.result)[0]).functionResponse).response);
    const error = filled(result.error) ?? filled(call.resultDisplay) ?? status;
    if (status === 'success')
      return this.#tools.end(id, { status: 'success', output: result.output ?? call.resultDisplay ?? null });
    if (status === 'cancelled')
      return this.#sink.emit({ type: 'item.completed', item_id: id, status: 'cancelled', error });
    this.#tools.end(id, { status: 'error', error: { type: asText(call.errorType), message: error } });
  }

  #count(tokens: JsonObject, model: string | undefined): void {
    const [input = 0, output = 0, thoughts = 0] = [count(tokens.input), count(tokens.output), count(tokens.thoughts)];
    if (input + output === 0) return;
    this.#sink.emit({
      type: 'usage.reported',
      scope: 'step',
      input_tokens: input + (count(tokens.tool) ?? 0),
      output_tokens: output + thoughts,
      ...present({ model, reasoning_tokens: count(tokens.thoughts), cache_read_tokens: count(tokens.cached) }),
    });
  }

  #isFirst(key: string): boolean {
    if (this.#seen.get(key) === true) return false;
    this.#seen.set(key, true);
    return true;
  }

  #closeTurn(): void {
    if (this.#isTurnOpen)
      this.#sink.emit({ type: 'turn.completed', finish_reason: this.#end?.status === 'ok' ? 'stop' : 'tool_calls' });
    this.#isTurnOpen = false;
  }
}

const ended = new Set(['success', 'error', 'cancelled']);

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (isObject(content)) return string(content.text) ?? '';
  return list(content)
    .map((part) => (typeof part === 'string' ? part : (string(object(part).text) ?? '')))
    .join('');
}
