import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink } from '../../dialect.ts';
import { writeUsage } from './usage.ts';

/** The turn ends as claimed; a run that was interrupted just stops. */
export function writeEnding(
  claim: EventOf<'agent.finished'> | undefined,
  outcome: RunOutcome,
  sink: EncoderSink,
): void {
  const { metrics, verdict, error_details } = outcome;
  if (claim?.status === 'ok') {
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
    sink.line({ type: 'turn.completed', usage: writeUsage(metrics) });
  } else {
    // A failed or interrupted turn has no usage on this wire.
    if (metrics.tokens_used !== undefined) sink.lose('usage');
    if (claim?.status === 'failed')
      sink.line({ type: 'turn.failed', error: { message: claim.message ?? error_details?.message ?? '' } });
  }
  if ((claim?.status === 'ok') !== (verdict.class === 'success')) sink.lose('verdict');
}
