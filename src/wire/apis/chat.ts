import type { FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { count as amount, filled, isObject, list, object } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import { type Api, type Meter, noReading } from './api.ts';
import { count, eventOf, finished, most, timesMost, tokenCount, toldError } from './words.ts';

const finishes: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
  error: 'error',
};

/** Chat Completions of OpenAI, as a hundred other servers speak it, and what it came from: plain completions and embeddings. */
export const chat: Api = {
  name: 'chat',
  path: /\/(?:(?:chat\/)?completions|embeddings)$/,
  facts(body) {
    return {
      model: filled(body.model),
      // Servers differ in which of the two they heed.
      maxOutput: timesMost(most(body.max_completion_tokens, body.max_tokens), answersTo(body)),
      tools: list(body.tools).length + list(body.functions).length,
      hostedTools: isObject(body.web_search_options) ? ['web_search'] : [],
      continues: list(body.messages).some((message) => object(message).role === 'assistant'),
    };
  },
  meter: () => new ChatMeter(),
  refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};

/** Plain completions may be asked of several prompts at once, and pick the best of several answers. */
function answersTo({ n, best_of: best, prompt }: JsonObject): number {
  const isList = list(prompt).some((each) => typeof each !== 'number');
  return (most(n, best) ?? 1) * (isList ? list(prompt).length : 1);
}

/** Searched from what is rare in an answer, which is three times as fast. */
const telling = /_reason":\s?"|"usage"|"error"|\[DONE\]/;

class ChatMeter implements Meter {
  readonly reading = noReading();
  #isFirst = true;

  /** The pieces of an answer all look alike; only some say more than the piece. */
  get telling(): RegExp | undefined {
    return this.#isFirst ? undefined : telling;
  }

  event(_name: string, data: string): void {
    if (data === '[DONE]') return this.#whole();
    if (this.telling?.test(data) === false) return;
    this.#isFirst = false;
    this.#read(eventOf(data));
  }

  body(body: Json): void {
    this.#read(object(body));
    if (list(object(body).data).length > 0) this.#whole();
  }

  #read(chunk: JsonObject): void {
    const [choice] = list(chunk.choices).map(object);
    Object.assign(
      this.reading,
      present({ model: filled(chunk.model), serviceTier: filled(chunk.service_tier), error: toldError(chunk) }),
    );
    this.#usage(object(chunk.usage ?? object(chunk.x_groq).usage ?? choice?.usage));
    const finish = filled(choice?.finish_reason);
    finished(this.reading, finishes, finish);
    if (finish !== undefined) this.#whole();
  }

  #usage(usage: JsonObject): void {
    const input = tokenCount(usage.prompt_tokens);
    if (input === undefined) return;
    const completion = tokenCount(usage.completion_tokens) ?? 0;
    const details = object(usage.prompt_tokens_details);
    count(this.reading, {
      input,
      // Some servers leave reasoning out of the completion, and count it in the total alone.
      output: Math.max(completion, (tokenCount(usage.total_tokens) ?? 0) - input),
      cacheRead: tokenCount(details.cached_tokens) ?? tokenCount(usage.prompt_cache_hit_tokens),
      cacheWrite: tokenCount(details.cache_write_tokens),
      reasoning: tokenCount(object(usage.completion_tokens_details).reasoning_tokens),
      cost: amount(usage.cost),
    });
    this.reading.usage = this.reading.isWhole ? 'final' : 'partial';
  }

  #whole(): void {
    this.reading.isWhole = true;
    if (this.reading.usage === 'partial') this.reading.usage = 'final';
  }
}
