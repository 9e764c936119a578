import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Turns } from './turns.ts';

/** The last turn and `session_end`, whose exit code is the verdict's. */
export function writeEnding(outcome: RunOutcome, sink: EncoderSink, turns: Turns, known: { model: string }): void {
  const { metrics, verdict, error_details, limits_hit } = outcome;
  const failed = verdict.class !== 'success';
  if (failed && !turns.endsInError) turns.fail(error_details?.message || (verdict.evidence[0]?.detail ?? ''));
  if (!failed && turns.endsInError) sink.lose('verdict');
  if (turns.current === 0 && !failed) turns.start();
  turns.completeLast(metrics);
  if (limits_hit.length > 0 && !verdict.class.endsWith('_limit')) sink.lose('limit');
  if ((metrics.model_name ?? '') !== known.model) sink.lose('model');
  if ((metrics.duration_ms ?? 0) > 0) sink.lose('time');
  sink.line({
    type: 'session_end',
    turns: turns.current,
    total_cost_usd: metrics.cost ?? 0,
    exit_code: verdict.exit_code,
  });
}
