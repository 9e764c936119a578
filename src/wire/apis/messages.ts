import type { FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, list, object, whole } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import { tierOfMessages } from '../../outcome/service-tier.ts';
import { type Api, type Meter, noReading } from './api.ts';
import { count, eventOf, finished, hostedIn, tokenCount, toldError } from './words.ts';

const finishes: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

/** Tools of Anthropic that the agent runs: a shell, an editor, a computer, a memory. */
const ownTools = /^(?:custom|bash_|text_editor_|computer_|memory_)/;

/** The Messages API of Anthropic. */
export const messages: Api = {
  name: 'messages',
  path: /\/messages$/,
  facts(body) {
    const hosted = hostedIn(body.tools, (type) => ownTools.test(type));
    return {
      model: filled(body.model),
      maxOutput: whole(body.max_tokens),
      tools: list(body.tools).length,
      hostedTools: list(body.mcp_servers).length === 0 ? hosted : [...hosted, 'mcp'],
      continues: list(body.messages).some((message) => object(message).role === 'assistant'),
    };
  },
  meter: () => new MessagesMeter(),
  refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};

class MessagesMeter implements Meter {
  readonly reading = noReading();
  readonly telling = /message_|error/;

  event(name: string, data: string): void {
    if (name === '' ? !/"(?:message_(?:start|delta|stop)|error)"/.test(data) : !/^(?:message_|error)/.test(name))
      return;
    const event = eventOf(data);
    switch (event.type) {
      case 'message_start':
        return this.#message(object(event.message), 'partial');
      case 'message_delta':
        finished(this.reading, finishes, filled(object(event.delta).stop_reason));
        return this.#usage(object(event.usage), 'final');
      case 'message_stop':
        this.reading.isWhole = true;
        return;
      case 'error':
        return this.#failed(event);
      default:
    }
  }

  body(body: Json): void {
    const answer = object(body);
    if (answer.type === 'error') return this.#failed(answer);
    this.#message(answer, 'final');
    finished(this.reading, finishes, filled(answer.stop_reason));
    this.reading.isWhole = this.reading.rawFinish !== undefined;
  }

  #message(message: JsonObject, usage: 'partial' | 'final'): void {
    const model = filled(message.model);
    if (model !== undefined) this.reading.model = model;
    this.#usage(object(message.usage), usage);
  }

  /** A later event counts everything again, or the output alone; what it says of the input may be 0 then. */
  #usage(usage: JsonObject, is: 'partial' | 'final'): void {
    const known = this.reading.tokens;
    const uncached = tokenCount(usage.input_tokens);
    const output = tokenCount(usage.output_tokens);
    if (uncached === undefined && output === undefined) return;
    const cacheRead = tokenCount(usage.cache_read_input_tokens) || known.cacheRead;
    const cacheWrite = tokenCount(usage.cache_creation_input_tokens) || known.cacheWrite;
    count(this.reading, {
      input:
        uncached === undefined
          ? undefined
          : Math.max(uncached + (cacheRead ?? 0) + (cacheWrite ?? 0), known.input ?? 0),
      cacheRead,
      cacheWrite,
      cacheWriteHour: tokenCount(object(usage.cache_creation).ephemeral_1h_input_tokens) || undefined,
      output,
      reasoning: tokenCount(object(usage.output_tokens_details).thinking_tokens),
      webSearches: tokenCount(object(usage.server_tool_use).web_search_requests) || undefined,
    });
    Object.assign(this.reading, present({ serviceTier: tierOfMessages(usage) }));
    this.reading.usage = is;
  }

  #failed(body: JsonObject): void {
    const error = toldError(body);
    if (error !== undefined) this.reading.error = error;
  }
}
