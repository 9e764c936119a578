import type { Json, JsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse.ts';
import { list, object, string } from '../../json/read.ts';
import { readEvents } from './events.ts';
import type { RecordedAnswer } from './recording.ts';

/** What a model answered, for people: its words, and the calls that it made. */
export interface Reply {
  text: string;
  calls: Call[];
}

/** `id`: what its result names; Gemini gives none. */
export interface Call {
  name: string;
  args: string;
  id?: string;
}

/** A model may answer anything, at any length. */
const longestReply = 4 * 1024 * 1024;
const mostCalls = 1000;

/** Of an answer by any of the four APIs, streamed or in one piece. */
export function replyOf({ body, content_type: type }: RecordedAnswer): Reply {
  const fold = new ReplyFold();
  if (/^text\/event-stream\b/i.test(type)) {
    for (const event of readEvents(body)) if (typeof event !== 'string') fold.take(object(event.data));
  } else {
    const whole = parseJson(body);
    for (const each of Array.isArray(whole) ? whole : [whole ?? null]) fold.take(object(each));
  }
  return fold.reply;
}

/** Puts an answer together, piece by piece. */
export class ReplyFold {
  #text = '';
  #size = 0;
  readonly #calls = new Map<string, Call>();

  get reply(): Reply {
    return { text: this.#text, calls: [...this.#calls.values()] };
  }

  take(data: JsonObject): void {
    for (const choice of list(data.choices).map(object)) this.#chat(object(choice.delta ?? choice.message));
    for (const candidate of list(data.candidates).map(object)) this.#gemini(object(candidate.content));
    this.#messages(data);
    // Its deltas come again in the last event, which alone is whole.
    const response = object(data.response ?? (data.object === 'response' ? data : null));
    if (data.type === undefined || string(data.type)?.startsWith('response.') === true)
      for (const item of list(response.output).map(object)) this.#responses(item);
  }

  #chat({ content, tool_calls: calls }: JsonObject): void {
    this.#say(content);
    list(calls).forEach((each, at) => {
      const { index, id, function: called } = object(each);
      this.#call(`chat ${String(index ?? at)}`, object(called).name, object(called).arguments, id);
    });
  }

  #gemini({ parts }: JsonObject): void {
    for (const { text, thought, functionCall } of list(parts).map(object)) {
      if (thought !== true) this.#say(text);
      if (functionCall !== undefined)
        this.#call(
          `gemini ${this.#calls.size}`,
          object(functionCall).name,
          object(functionCall).args,
          object(functionCall).id,
        );
    }
  }

  #messages({ type, index, content_block: block, delta, content }: JsonObject): void {
    const blocks = type === 'message' ? list(content) : type === 'content_block_start' ? [block ?? null] : [];
    blocks.map(object).forEach(({ type: kind, text, name, input, id }, at) => {
      this.#say(kind === 'text' ? text : undefined);
      // While it is streamed, the input is empty at first and comes in pieces.
      if (kind === 'tool_use')
        this.#call(`messages ${String(index ?? at)}`, name, type === 'message' ? input : undefined, id);
    });
    if (type !== 'content_block_delta') return;
    this.#say(object(delta).text);
    if (object(delta).partial_json !== undefined)
      this.#call(`messages ${String(index)}`, undefined, object(delta).partial_json);
  }

  #responses({ type, name, arguments: args, input, content, call_id: id }: JsonObject): void {
    if (type === 'message') for (const part of list(content).map(object)) this.#say(part.text);
    else if (string(type)?.endsWith('_call') === true)
      this.#call(`responses ${string(id) ?? ''}`, name, args ?? input, id);
  }

  #say(text: Json | undefined): void {
    this.#text += this.#room(string(text) ?? '');
  }

  #call(key: string, name: Json | undefined, args: Json | undefined, id?: Json): void {
    const known = this.#calls.get(key);
    if (known === undefined && this.#calls.size >= mostCalls) return;
    const call: Call = known ?? { name: '', args: '' };
    call.name ||= this.#room(string(name) ?? '');
    if (call.id === undefined && typeof id === 'string' && id !== '') call.id = this.#room(id);
    if (args !== undefined) call.args += this.#room(typeof args === 'string' ? args : JSON.stringify(args));
    this.#calls.set(key, call);
  }

  #room(text: string): string {
    const kept = text.slice(0, Math.max(0, longestReply - this.#size));
    this.#size += kept.length;
    return kept;
  }
}
