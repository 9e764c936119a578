import type { Draft } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { ModelAnswer, ModelRequest } from './exchange.ts';
import type { Quota } from './quota.ts';

/** Takes secrets out of a text of others, then cuts it. */
export type Quote = (text: string, most: number) => string;

/** A provider may call its model anything, at any length. */
const longestName = 200;
const longestError = 4000;

export function requestedDraft(request: ModelRequest, isSide: boolean, quote: Quote): Draft {
  const { facts, bytes } = request;
  return {
    type: 'model.requested',
    ...about(request, isSide, quote),
    ...present({ max_output_tokens: facts.maxOutput }),
    tool_count: facts.tools,
    request_bytes: bytes,
  };
}

export function respondedDraft(request: ModelRequest, answer: ModelAnswer, isSide: boolean, quote: Quote): Draft {
  const { reading, status, ended, isServed, error, retryAfterMs, firstByteMs, durationMs, bytes } = answer;
  const { tokens, serviceTier, finish, rawFinish, model } = reading;
  const name = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : quote(text, longestName);
  return {
    type: 'model.responded',
    ...about(request, isSide, quote),
    ...present({ model_served: name(model), status }),
    ended,
    ...present({
      finish_reason: finish,
      raw_finish_reason: name(rawFinish),
      usage: isServed ? reading.usage : undefined,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      reasoning_tokens: tokens.reasoning,
      cache_read_tokens: tokens.cacheRead,
      cache_write_tokens: tokens.cacheWrite,
      cache_write_1h_tokens: tokens.cacheWriteHour,
      web_searches: tokens.webSearches,
      service_tier: name(serviceTier),
      cost_usd: tokens.cost,
      code: error?.code,
      error: error === undefined ? undefined : quote(error.message, longestError),
      retry_after_ms: retryAfterMs,
      first_byte_ms: firstByteMs,
    }),
    duration_ms: durationMs,
    request_bytes: request.bytes,
    response_bytes: bytes,
  };
}

export function quotaDraft({ window, utilization, resetsAtMs }: Quota): Draft {
  return { type: 'rate_limit.reported', window, utilization, ...present({ resets_at_ms: resetsAtMs }) };
}

function about({ number, api, route, facts }: ModelRequest, isSide: boolean, quote: Quote) {
  const { model, hostedTools } = facts;
  return {
    request: number,
    api,
    route,
    ...present({
      model: model === undefined ? undefined : quote(model, longestName),
      is_side: isSide ? true : undefined,
      hosted_tools: hostedTools.length === 0 ? undefined : hostedTools.map((tool) => quote(tool, longestName)),
    }),
  };
}
