import type { Draft } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count } from '../../../json/read.ts';

interface Counts {
  input: number;
  output: number;
  thoughts: number;
  cached: number;
}

/** The `usageMetadata` of an answer. */
export function countsOfAnswer(wire: JsonObject): Counts | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount, totalTokenCount } = wire;
  return counts(count(promptTokenCount), count(candidatesTokenCount), count(totalTokenCount), {
    thoughts: count(thoughtsTokenCount) ?? 0,
    cached: count(cachedContentTokenCount) ?? 0,
  });
}

/** The same for a model call, in the field names of the telemetry. */
export function countsOfCall(wire: JsonObject): Counts | undefined {
  return counts(count(wire.input_token_count), count(wire.output_token_count), count(wire.total_token_count), {
    thoughts: count(wire.thoughts_token_count) ?? 0,
    cached: count(wire.cached_content_token_count) ?? 0,
  });
}

function counts(
  input: number | undefined,
  output: number | undefined,
  total: number | undefined,
  { thoughts, cached }: Pick<Counts, 'thoughts' | 'cached'>,
): Counts | undefined {
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  // Some providers count thoughts apart from the answer, which only the total shows.
  const isApart = (total ?? 0) >= input + output + thoughts;
  return { input, output: output + (isApart ? thoughts : 0), thoughts, cached };
}

/** No session uses more models than this. */
const maxModels = 100;

/** What each model used, by the telemetry in the file, which also counts calls without an answer. */
export class Totals {
  readonly #models = new Map<string, Counts>();

  add(model = '', more: Counts | undefined): void {
    if (more === undefined) return;
    const sum = this.#models.get(model);
    if (sum === undefined) {
      if (this.#models.size < maxModels) this.#models.set(model, { ...more });
      return;
    }
    sum.input += more.input;
    sum.output += more.output;
    sum.thoughts += more.thoughts;
    sum.cached += more.cached;
  }

  tell(sink: DecoderSink): void {
    for (const [model, used] of this.#models) sink.emit(usageOf('thread', model, used));
  }
}

export function usageOf(
  scope: 'step' | 'thread',
  model: string | undefined,
  { input, output, thoughts, cached }: Counts,
): Draft {
  return {
    type: 'usage.reported',
    scope,
    ...present({ model: model || undefined }),
    input_tokens: input,
    output_tokens: output,
    reasoning_tokens: thoughts,
    cache_read_tokens: cached,
  };
}
