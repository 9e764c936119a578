import type { FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { filled, isObject, list, object, whole } from '../../json/read.ts';
import { present } from '../../json/present.ts';
import { type Api, type Meter, noReading } from './api.ts';
import { count, eventOf, finished, hostedIn, tokenCount, toldError } from './words.ts';

const incompletes: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};

/** Tools that the agent runs; all others run at OpenAI. */
const ownTools: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'namespace',
  'shell',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
  'tool_search',
]);
/** What an answer asks the agent to do. */
const calls = /^(?:function|custom_tool|shell|local_shell|apply_patch|computer)_call$/;

/** The Responses API of OpenAI. */
export const responses: Api = {
  name: 'responses',
  path: /\/responses(?:\/compact)?$/,
  facts(body) {
    return {
      model: filled(body.model),
      maxOutput: whole(body.max_output_tokens),
      tools: list(body.tools).length,
      hostedTools: hostedIn(body.tools, (type) => ownTools.has(type)),
      continues:
        filled(body.previous_response_id) !== undefined || list(body.input).some((item) => wasSaid(object(item))),
    };
  },
  meter: () => new ResponsesMeter(),
  refusal: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
  }),
};

/** A message of the model, its reasoning or a call; what others said are messages too, and the results of calls end in `_output`. */
function wasSaid({ type, role }: JsonObject): boolean {
  return role === 'assistant' || (role === undefined && typeof type === 'string' && !type.endsWith('_output'));
}

class ResponsesMeter implements Meter {
  readonly reading = noReading();
  readonly telling = /response\.(?:created|completed|incomplete|failed)|(?:arguments|input)\.done|error/;
  #hasCalled = false;

  event(name: string, data: string): void {
    const kind = name === '' ? /"type":\s?"((?:response\.[\w.]+)|error)"/.exec(data)?.[1] : name;
    switch (kind) {
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        this.#hasCalled = true;
        return;
      case 'response.created':
        return this.#model(object(eventOf(data).response));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.body(object(eventOf(data).response));
      case 'error': {
        const event = eventOf(data);
        // Its words are in the event itself.
        this.#failed(isObject(event.error) ? event : { error: { ...event, type: null } });
        return;
      }
      default:
    }
  }

  body(body: Json): void {
    const response = object(body);
    this.#model(response);
    this.#failed(response);
    this.#usage(response);
    if (response.status === 'incomplete')
      finished(this.reading, incompletes, filled(object(response.incomplete_details).reason) ?? '');
    else if (response.status === 'failed') finished(this.reading, { failed: 'error' }, 'failed');
    else if (response.status === 'completed' || response.object === 'response.compaction')
      finished(this.reading, { completed: this.#calledIn(response) ? 'tool_calls' : 'stop' }, 'completed');
    this.reading.isWhole = this.reading.finish !== undefined && this.reading.finish !== 'error';
  }

  #calledIn(response: JsonObject): boolean {
    return this.#hasCalled || list(response.output).some((item) => calls.test(filled(object(item).type) ?? ''));
  }

  #model(response: JsonObject): void {
    Object.assign(this.reading, present({ model: filled(response.model) }));
  }

  #usage(response: JsonObject): void {
    const usage = object(response.usage);
    const input = tokenCount(usage.input_tokens);
    const output = tokenCount(usage.output_tokens);
    if (input === undefined && output === undefined) return;
    const details = object(usage.input_tokens_details);
    count(this.reading, {
      input,
      output,
      cacheRead: tokenCount(details.cached_tokens),
      cacheWrite: tokenCount(details.cache_write_tokens),
      reasoning: tokenCount(object(usage.output_tokens_details).reasoning_tokens),
      webSearches: list(response.output).filter((item) => object(item).type === 'web_search_call').length || undefined,
    });
    Object.assign(this.reading, present({ serviceTier: filled(response.service_tier) }));
    this.reading.usage = 'final';
  }

  #failed(body: JsonObject): void {
    const error = toldError(body);
    if (error !== undefined) this.reading.error = error;
  }
}
