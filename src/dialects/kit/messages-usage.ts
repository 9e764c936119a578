import type { JsonObject } from '../../json/json.ts';
import { present } from '../../json/present.ts';
import { count, object } from '../../json/read.ts';
import type { Tokens } from './tokens.ts';
import { anthropicFields, tokensIn } from './usage.ts';

/** Usage as Anthropic's API writes it, which several agents pass on as it is. */
export function readMessagesUsage(wire: JsonObject): Tokens {
  return {
    ...tokensIn({ fields: anthropicFields, cacheIsApart: true }, wire),
    ...present({
      cache_write_1h_tokens: count(object(wire.cache_creation).ephemeral_1h_input_tokens) || undefined,
      web_searches: count(object(wire.server_tool_use).web_search_requests) || undefined,
    }),
  };
}
