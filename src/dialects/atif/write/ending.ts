import type { EventOf } from '../../../events/event.ts';
import { codeOfClass } from '../../../outcome/faults.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';

/** How the run ended. The format has no field for it, and a failure without one would look like a short success. */
export function writeEnding(outcome: RunOutcome, claim: EventOf<'agent.finished'> | undefined): JsonObject {
  const { verdict, status, error_details } = outcome;
  const reason = verdict.evidence[0]?.detail;
  const error = present({
    code: verdict.class === 'success' ? undefined : (verdict.code ?? codeOfClass[verdict.class]),
    message: error_details?.message ?? reason,
  });
  return present({
    status,
    class: verdict.class,
    exit_code: verdict.exit_code,
    reason,
    error: status === 'success' ? undefined : error,
    has_answer: claim?.has_answer === false ? false : undefined,
    duration_ms: outcome.metrics.duration_ms,
  });
}
