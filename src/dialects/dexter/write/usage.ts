import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** Only the two totals, and only if both are known: Dexter leaves out what its provider did not count. */
export function writeUsage(metrics: RunOutcome['metrics'], sink: EncoderSink): { tokenUsage?: JsonObject } {
  if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
  if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined)
    sink.lose('token_split');
  const { input_tokens: inputTokens, output_tokens: outputTokens } = metrics;
  if (inputTokens !== undefined && outputTokens !== undefined && inputTokens + outputTokens > 0)
    return { tokenUsage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
  if (metrics.tokens_used !== undefined) sink.lose('usage');
  return {};
}
