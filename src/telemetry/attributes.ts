import type { tokenFields } from '../outcome/token-fields.ts';
import { names } from './names.ts';
import type { Attributes, AttributeValue, SpanEvent } from './span.ts';

const longestName = 200;

export function attributes(given: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Cuts a name or value to a limit, since agent text can have any length. */
export function short(text: string, limit = longestName): string {
  // A bare slice would keep the whole original string in memory.
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`.toWellFormed();
}

export function spanName(operation: string, what: string | undefined): string {
  return what === undefined || what === '' ? operation : `${operation} ${short(what)}`;
}

export type Tokens = Partial<Record<(typeof tokenFields)[number], number | undefined>>;

export function usageAttributes(usage: Tokens): Readonly<Record<string, number | undefined>> {
  return {
    [names.inputTokens]: usage.input_tokens,
    [names.outputTokens]: usage.output_tokens,
    [names.reasoningTokens]: usage.reasoning_tokens,
    [names.cacheReadTokens]: usage.cache_read_tokens,
    [names.cacheWriteTokens]: usage.cache_write_tokens,
  };
}

/** OpenTelemetry keeps no more events per span. */
const mostEvents = 128;

/** The events of a span. */
export class SpanEvents {
  readonly list: SpanEvent[] = [];
  dropped = 0;

  add(event: SpanEvent): void {
    if (this.list.length < mostEvents) this.list.push(event);
    else this.dropped += 1;
  }
}
