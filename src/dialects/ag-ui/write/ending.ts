import { codeOfClass } from '../../../faults.ts';
import type { ModelUsage, RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import { failureText } from '../../told.ts';
import type { Events } from './events.ts';

type Interrupts = readonly { id: string; reason: string; message: string; toolCallId?: string }[];

/** A run is finished when it succeeded, was cancelled, or waits for a permission; all else is an error. */
export function writeEnding(outcome: RunOutcome, interrupts: Interrupts, events: Events): void {
  const { verdict, message, metrics } = outcome;
  const usage = usageOf(outcome);
  const known = {
    ...(usage.length === 0 ? {} : { usage }),
    metadata: compact({
      verdict: verdict.class,
      exitCode: verdict.exit_code,
      reason: verdict.evidence[0]?.detail,
      costUsd: metrics.cost,
      costSource: metrics.cost_source === 'unknown' ? undefined : metrics.cost_source,
      durationMs: metrics.duration_ms,
    }),
  };
  const run = { threadId: events.threadId, runId: events.runId };
  const finished = (ending: JsonObject): void => events.write('RUN_FINISHED', { ...run, outcome: ending, ...known });
  if (verdict.class === 'success') return events.write('RUN_FINISHED', { ...run, result: message, outcome: { type: 'success' }, ...known });
  if (verdict.class === 'cancelled') return finished({ type: 'cancelled' });
  if (verdict.class === 'permission' && interrupts.length > 0) return finished({ type: 'interrupt', interrupts: [...interrupts] });
  events.write('RUN_ERROR', {
    message: failureText(outcome) || `the run failed: ${verdict.class}`,
    code: verdict.code ?? codeOfClass[verdict.class],
    ...known,
  });
}

/** One entry for each model; cached and reasoning tokens are parts of the totals here as with us. */
function usageOf({ metrics, usage_by_model }: RunOutcome): JsonObject[] {
  if (metrics.tokens_used === undefined) return [];
  return (usage_by_model ?? [metrics]).map(entryOf);
}

function entryOf(tokens: Omit<ModelUsage, 'cost'>): JsonObject {
  const [input, output] = [whole(tokens.input_tokens), whole(tokens.output_tokens)];
  return compact({
    model: tokens.model_name,
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : whole(input + output),
    reasoningTokens: whole(tokens.reasoning_tokens),
    cachedInputTokens: whole(tokens.cache_read_tokens),
    cacheWriteInputTokens: whole(tokens.cache_write_tokens),
  });
}

function whole(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.min(Math.round(tokens), Number.MAX_SAFE_INTEGER);
}
