import type { FinishReason } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import { failureText } from '../../told.ts';

/** A failure is an error chunk, which a front end stops at: what is known of the run comes before it. */
export function writeEnding(outcome: RunOutcome, finish: FinishReason | undefined, line: (wire: JsonObject) => void): void {
  const { verdict } = outcome;
  const messageMetadata = metadataOf(outcome);
  if (verdict.class === 'success') return line({ type: 'finish', finishReason: finishReasonOf(finish), messageMetadata });
  line({ type: 'message-metadata', messageMetadata });
  const text = failureText(outcome) || `the run failed: ${verdict.class}`;
  if (verdict.class === 'cancelled') return line({ type: 'abort', reason: text });
  line({ type: 'error', errorText: text });
  line({ type: 'finish', finishReason: 'error' });
}

/** Why the last turn of a run that succeeded ended; its calls have been made. */
function finishReasonOf(finish: FinishReason | undefined): string {
  return finish === 'length' ? 'length' : finish === 'content_filter' ? 'content-filter' : 'stop';
}

function metadataOf({ session_id, metrics, verdict }: RunOutcome): JsonObject {
  const { input_tokens, output_tokens, tokens_used, reasoning_tokens, cache_read_tokens, cache_write_tokens } = metrics;
  const totalUsage = compact({
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: tokens_used,
    reasoningTokens: reasoning_tokens,
    cachedInputTokens: cache_read_tokens,
    cacheWriteTokens: cache_write_tokens,
  });
  return compact({
    sessionId: session_id || undefined,
    model: metrics.model_name,
    totalUsage: Object.keys(totalUsage).length === 0 ? undefined : totalUsage,
    costUsd: metrics.cost,
    costSource: metrics.cost_source === 'unknown' ? undefined : metrics.cost_source,
    durationMs: metrics.duration_ms,
    verdict: compact({ class: verdict.class, exitCode: verdict.exit_code, reason: verdict.evidence[0]?.detail }),
  });
}
