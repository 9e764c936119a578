import { codeOfClass } from '../../../outcome/faults.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { failureText } from '../../kit/told.ts';
import type { Events } from './events.ts';
import { writeUsage } from './usage.ts';

type Interrupts = readonly { id: string; reason: string; message: string; toolCallId?: string }[];

/** A run is finished if it succeeded, was cancelled, or waits for a permission; anything else is an error. */
export function writeEnding(outcome: RunOutcome, interrupts: Interrupts, events: Events): void {
  const { verdict, message, metrics } = outcome;
  const usage = writeUsage(outcome);
  const known = {
    ...(usage.length === 0 ? {} : { usage }),
    metadata: present({
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
  if (verdict.class === 'success')
    return events.write('RUN_FINISHED', { ...run, result: message, outcome: { type: 'success' }, ...known });
  if (verdict.class === 'cancelled') return finished({ type: 'cancelled' });
  if (verdict.class === 'permission' && interrupts.length > 0)
    return finished({ type: 'interrupt', interrupts: [...interrupts] });
  events.write('RUN_ERROR', {
    message: failureText(outcome) || `the run failed: ${verdict.class}`,
    code: verdict.code ?? codeOfClass[verdict.class],
    ...known,
  });
}
