import type { FinishReason } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { failureText } from '../../kit/told.ts';
import { finishWords } from '../words.ts';
import { writeUsage } from './usage.ts';

/** A failure is an error chunk, at which a front end stops, so what is known about the run comes before it. */
export function writeEnding(
  outcome: RunOutcome,
  finish: FinishReason | undefined,
  line: (wire: JsonObject) => void,
): void {
  const { verdict } = outcome;
  const messageMetadata = metadataOf(outcome);
  if (verdict.class === 'success')
    return line({ type: 'finish', finishReason: finishWords[finish ?? 'stop'] ?? 'stop', messageMetadata });
  line({ type: 'message-metadata', messageMetadata });
  const text = failureText(outcome) || `the run failed: ${verdict.class}`;
  if (verdict.class === 'cancelled') return line({ type: 'abort', reason: text });
  line({ type: 'error', errorText: text });
  line({ type: 'finish', finishReason: 'error' });
}

function metadataOf({ session_id, metrics, verdict }: RunOutcome): JsonObject {
  return present({
    sessionId: session_id || undefined,
    model: metrics.model_name,
    totalUsage: writeUsage(metrics),
    costUsd: metrics.cost,
    costSource: metrics.cost_source === 'unknown' ? undefined : metrics.cost_source,
    durationMs: metrics.duration_ms,
    verdict: present({ class: verdict.class, exitCode: verdict.exit_code, reason: verdict.evidence[0]?.detail }),
  });
}
