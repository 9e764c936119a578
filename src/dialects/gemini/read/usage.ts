import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { count, object } from '../../../json/read.ts';

interface ModelTokens {
  model: string | undefined;
  input: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
  cached: number | undefined;
}

const sizeOf = (tokens: ModelTokens): number => (tokens.input ?? 0) + (tokens.output ?? 0);

/** The `stats` of a `result` line. */
export function readUsage(sink: DecoderSink, stats: JsonObject): void {
  emitUsage(sink, streamTokens(stats));
}

/** The `stats` of the json document. */
export function readDocumentUsage(sink: DecoderSink, stats: JsonObject): void {
  emitUsage(sink, documentTokens(stats));
}

/** Totals of the process, one per model. After an HTTP error all are zero, which means that nothing was counted. */
function emitUsage(sink: DecoderSink, models: readonly ModelTokens[]): void {
  // Helpers (router, summariser) are separate models; the one that did the work comes last and names the run.
  for (const each of models.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    if (sizeOf(each) === 0) continue;
    sink.emit({
      type: 'usage.reported',
      scope: 'thread',
      ...present({
        model: each.model,
        input_tokens: each.input,
        output_tokens: each.output,
        reasoning_tokens: each.reasoning,
        cache_read_tokens: each.cached,
      }),
    });
  }
}

/** A `result` line has no field for thoughts: they are what the total has beyond input and output. */
function streamTokens(stats: JsonObject): ModelTokens[] {
  const models = Object.entries(object(stats.models));
  if (models.length === 0) return [readStream(undefined, stats)];
  return models.map(([model, tokens]) => readStream(model, object(tokens)));
}

function readStream(model: string | undefined, wire: JsonObject): ModelTokens {
  const input = count(wire.input_tokens);
  const visible = count(wire.output_tokens);
  const total = count(wire.total_tokens);
  const hidden =
    input === undefined || visible === undefined || total === undefined ? undefined : total - input - visible;
  const reasoning = hidden === undefined || hidden < 0 ? undefined : hidden;
  return {
    model: model || undefined,
    input,
    output: visible === undefined ? undefined : visible + (reasoning ?? 0),
    reasoning,
    cached: count(wire.cached),
  };
}

/** The json document has separate fields for thoughts and for tool prompts. */
function documentTokens(stats: JsonObject): ModelTokens[] {
  return Object.entries(object(stats.models)).map(([model, metrics]) => {
    const tokens = object(object(metrics).tokens);
    const prompt = count(tokens.prompt);
    const candidates = count(tokens.candidates);
    const thoughts = count(tokens.thoughts);
    return {
      model: model || undefined,
      input: prompt === undefined ? undefined : prompt + (count(tokens.tool) ?? 0),
      output: candidates === undefined ? undefined : candidates + (thoughts ?? 0),
      reasoning: thoughts,
      cached: count(tokens.cached),
    };
  });
}
