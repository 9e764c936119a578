import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink, JsonObject } from '../../dialect.ts';

type Usage = EventOf<'usage.reported'>;

/** Totals per model: as the agent gave them, or the outcome's totals under the name of its one model. */
export class ModelTotals {
  readonly #threads = new Map<string, Usage>();

  see(usage: Usage): void {
    if (usage.scope === 'thread') this.#threads.set(usage.model ?? '', usage);
  }

  of(metrics: RunOutcome['metrics']): { models: [string, Usage][]; total: Usage } {
    const total: Usage = {
      type: 'usage.reported',
      scope: 'thread',
      input_tokens: metrics.input_tokens ?? 0,
      output_tokens: metrics.output_tokens ?? 0,
      reasoning_tokens: metrics.reasoning_tokens ?? 0,
      cache_read_tokens: metrics.cache_read_tokens ?? 0,
    };
    const models = [...this.#threads].filter(([model]) => model !== '');
    const named = metrics.model_name;
    if (models.length > 0 || this.#threads.size > 0 || named === undefined || metrics.tokens_used === undefined) return { models, total };
    return { models: [[named, total]], total };
  }
}

/** What neither form has a field for. */
export function loseUsage(sink: EncoderSink, metrics: RunOutcome['metrics']): void {
  if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
  if (metrics.cache_write_tokens) sink.lose('token_split');
}

/** The tokens of one model, or of all, in a `result` line. */
export function writeUsage(usage: Usage): JsonObject {
  const input = usage.input_tokens ?? 0;
  const output = usage.output_tokens ?? 0;
  const cached = usage.cache_read_tokens ?? 0;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: Math.max(0, output - (usage.reasoning_tokens ?? 0)),
    cached,
    input: Math.max(0, input - cached),
  };
}

/** One model in the json document. */
export function writeDocumentUsage(usage: Usage, requests: number): JsonObject {
  const input = usage.input_tokens ?? 0;
  const output = usage.output_tokens ?? 0;
  const thoughts = usage.reasoning_tokens ?? 0;
  const cached = usage.cache_read_tokens ?? 0;
  return {
    api: { totalRequests: requests, totalErrors: 0, totalLatencyMs: 0 },
    tokens: {
      input: Math.max(0, input - cached),
      prompt: input,
      candidates: Math.max(0, output - thoughts),
      total: input + output,
      cached,
      thoughts,
      tool: 0,
    },
  };
}
