import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../../json/json.ts';

/** All five numbers are always present; 0 stands for a count that nobody reported. */
export function writeUsage(metrics: RunOutcome['metrics']): JsonObject {
  return {
    input_tokens: metrics.input_tokens ?? 0,
    cached_input_tokens: metrics.cache_read_tokens ?? 0,
    cache_write_input_tokens: metrics.cache_write_tokens ?? 0,
    output_tokens: metrics.output_tokens ?? 0,
    reasoning_output_tokens: metrics.reasoning_tokens ?? 0,
  };
}
