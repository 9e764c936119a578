import type { JsonObject } from '../../json/json.ts';
import { present } from '../../json/present.ts';
import { count } from '../../json/read.ts';
import type { DecoderSink } from '../dialect.ts';
import { isAny, isGuess, type Tokens } from './tokens.ts';

/** How an agent counts. */
export interface Counting {
  /** Its fields, and ours. Where several of its fields are one of ours, the first that it has counts. */
  readonly fields: Readonly<Record<string, keyof Tokens>>;
  /** Cached tokens are counted beside the input; ours includes them. */
  readonly cacheIsApart?: boolean;
  /** Reasoning is counted beside the output; ours includes it. */
  readonly reasoningIsApart?: boolean;
  /** Fields of ours in which its 0 stands for a number that it does not know. */
  readonly unknownIfZero?: readonly (keyof Tokens)[];
}

/** The names in Anthropic's API, which many agents pass on. */
export const anthropicFields = {
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  cache_read_input_tokens: 'cache_read_tokens',
  cache_creation_input_tokens: 'cache_write_tokens',
} as const;

/** The names that agents written in JavaScript give them. */
export const camelFields = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
} as const;

/** What an object counts, in our fields and by our habits; a cost that the agent itself calls a guess is none. */
export function tokensIn(
  { fields, cacheIsApart, reasoningIsApart, unknownIfZero }: Counting,
  wire: JsonObject,
): Tokens {
  const tokens: Tokens = {};
  for (const name in fields) {
    const field = fields[name];
    const value = count(wire[name]);
    if (field === undefined || value === undefined || tokens[field] !== undefined) continue;
    if (value === 0 && unknownIfZero?.includes(field) === true) continue;
    if (field !== 'cost_usd' || !isGuess(wire)) tokens[field] = value;
  }
  const { input_tokens, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0, reasoning_tokens } = tokens;
  if (cacheIsApart === true && input_tokens !== undefined)
    tokens.input_tokens = input_tokens + cache_read_tokens + cache_write_tokens;
  if (reasoningIsApart === true && reasoning_tokens !== undefined)
    tokens.output_tokens = output_tokens + reasoning_tokens;
  return tokens;
}

type Scope = 'step' | 'turn' | 'thread';

/** Returns whether there is anything to report: all zero means that nothing was counted. */
export function reportUsage(
  sink: DecoderSink,
  scope: Scope,
  tokens: Tokens,
  more: { model?: string | undefined; service_tier?: string | undefined; whole_session?: true } = {},
): boolean {
  if (!isAny(tokens)) return false;
  sink.emit({ type: 'usage.reported', scope, ...tokens, ...present(more) });
  return true;
}
