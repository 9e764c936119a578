import type { Json, JsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse.ts';
import { list, object, string } from '../../json/read.ts';
import { readEvents } from './events.ts';
import type { RecordedAnswer } from './recording.ts';

/** What a model answered, for people: its words, and the calls that it made. */
export interface Reply {
  text: string;
  calls: { name: string; args: string }[];
}

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

class ReplyFold {
  #text = '';
  readonly #calls = new Map<string, { name: string; args: string }>();

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
      const { index, function: called } = object(each);
      this.#call(`chat ${String(index ?? at)}`, object(called).name, object(called).arguments);
    });
  }

  #gemini({ parts }: JsonObject): void {
    for (const { text, thought, functionCall } of list(parts).map(object)) {
      if (thought !== true) this.#say(text);
      if (functionCall !== undefined)
        this.#call(`gemini ${this.#calls.size}`, object(functionCall).name, object(functionCall).args);
    }
  }

  #messages({ type, index, content_block: block, delta, content }: JsonObject): void {
    const blocks = type === 'message' ? list(content) : type === 'content_block_start' ? [block ?? null] : [];
    blocks.map(object).forEach(({ type: kind, text, name, input }, at) => {
      this.#say(kind === 'text' ? text : undefined);
      // While it is streamed, the input is empty at first and comes in pieces.
      if (kind === 'tool_use')
        this.#call(`messages ${String(index ?? at)}`, name, type === 'message' ? input : undefined);
    });
    if (type !== 'content_block_delta') return;
    this.#say(object(delta).text);
    if (object(delta).partial_json !== undefined)
      this.#call(`messages ${String(index)}`, undefined, object(delta).partial_json);
  }

  #responses({ type, name, arguments: args, input, content, call_id: id }: JsonObject): void {
    if (type === 'message') for (const part of list(content).map(object)) this.#say(part.text);
    else if (string(type)?.endsWith('_call') === true) this.#call(`responses ${string(id) ?? ''}`, name, args ?? input);
  }

  #say(text: Json | undefined): void {
    this.#text += string(text) ?? '';
  }

  #call(key: string, name: Json | undefined, args: Json | undefined): void {
    const call = this.#calls.get(key) ?? { name: '', args: '' };
    call.name ||= string(name) ?? '';
    if (args !== undefined) call.args += typeof args === 'string' ? args : JSON.stringify(args);
    this.#calls.set(key, call);
  }
}
