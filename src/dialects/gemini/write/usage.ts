import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { totalsByModel } from '../../kit/model-totals.ts';

type Reported = EventOf<'usage.reported'>;
type Tokens = Pick<Reported, 'input_tokens' | 'output_tokens' | 'reasoning_tokens' | 'cache_read_tokens'>;

/** Totals per model: as the agent reported them, or the outcome's totals under the name of its one model. */
export class Usage {
  readonly #threads = new Map<string, Reported>();

  see(usage: Reported): void {
    if (usage.scope === 'thread') this.#threads.set(usage.model ?? '', usage);
  }

  of(outcome: RunOutcome): { models: [string, Tokens][]; total: Tokens } {
    return {
      models: [...totalsByModel(this.#threads, outcome)].filter(([model]) => model !== ''),
      total: outcome.metrics,
    };
  }
}

/** Counts as lost what neither form has a field for. */
export function loseUsage(sink: EncoderSink, metrics: RunOutcome['metrics']): void {
  if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
  if (metrics.cache_write_tokens) sink.lose('token_split');
}

/** The tokens of one model, or of all, in a `result` line. */
export function writeUsage(usage: Tokens): JsonObject {
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
export function writeDocumentUsage(usage: Tokens, requests: number): JsonObject {
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
