import type { ErrorCode } from '../../events/event.ts';
import type { FailureCode } from '../../failure.ts';
import type { DecoderSink, JsonObject } from '../dialect.ts';
import { codeOfClass, codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, isObject, list, object, string } from '../read.ts';

/** The id of the message that only the report holds. */
export const reportMessage = 'final_report';

/** The last line and its report. Runwire's own reports hold an outcome too: whole words, tokens, files and the verdict. */
export function readEnd(
  wire: JsonObject,
  sink: DecoderSink,
  known: { task: string | undefined; lastText: string | undefined; closeTurn(): void },
): void {
  const report = object(wire.final_report);
  const status = asText(wire.status);
  const good = status === 'completed';
  const summary = filled(wire.summary) ?? filled(report.summary);
  const outcome = isObject(report.verdict) && isObject(report.metrics) ? report : undefined;
  // Without a report of ours the summary is the last word, if it is not the text of an error.
  const words = outcome === undefined ? (good || status === 'iteration_limit' ? summary : undefined) : filled(outcome.message);
  if (words !== undefined && words !== known.lastText) sink.emit({ type: 'text.completed', text: words, message_id: reportMessage });
  known.closeTurn();
  if (outcome !== undefined) {
    for (const artifact of list(outcome.artifacts)) readArtifact(object(artifact), sink);
    readMetrics(object(outcome.metrics), sink);
    const task = known.task === undefined ? filled(outcome.task) : undefined;
    if (task !== undefined) sink.emit({ type: 'prompt.submitted', text: task });
  }
  const verdict = object(outcome?.verdict);
  if (good && report.is_finished !== false && (report.status === undefined || report.status === 'completed') && isGood(verdict.class))
    return sink.emit({ type: 'agent.finished', status: 'ok', raw_status: status });
  const message = filled(object(report.error).message) ?? filled(object(report.error_details).message) ?? summary ?? status;
  if (status === 'iteration_limit') sink.emit({ type: 'limit.reached', limit: 'turns', message });
  const code = failureCode(status, message, verdict.class);
  sink.emit({ type: 'agent.finished', status: code === 'cancelled' ? 'cancelled' : 'failed', code, raw_status: status, message });
}

/** Only our own reports have a verdict; one that is not a success outweighs the status. */
function isGood(verdict: unknown): boolean {
  return verdict === undefined || verdict === 'success';
}

function failureCode(status: string, message: string, verdict: unknown): ErrorCode {
  if (status === 'iteration_limit') return 'turn_limit';
  const told = codeOfMessage(message);
  const known = typeof verdict === 'string' && Object.hasOwn(codeOfClass, verdict) ? codeOfClass[verdict as FailureCode] : undefined;
  if (known !== undefined) return known === 'server' && providerCodes.has(told) ? told : known;
  if (status === 'FINISHED_WITH_ERROR' && told === 'unknown') return 'tool';
  return told;
}

const providerCodes = new Set<ErrorCode>(['auth', 'quota', 'rate_limit', 'server', 'network', 'context_overflow', 'refused']);

function readArtifact(artifact: JsonObject, sink: DecoderSink): void {
  const path = filled(artifact.path);
  const operation = artifact.operation;
  if (path !== undefined && (operation === 'created' || operation === 'modified' || operation === 'deleted'))
    sink.emit({ type: 'file.edited', path, operation });
}

function readMetrics(metrics: JsonObject, sink: DecoderSink): void {
  const usage = compact({
    model: string(metrics.model_name),
    input_tokens: count(metrics.input_tokens),
    output_tokens: count(metrics.output_tokens),
    reasoning_tokens: count(metrics.reasoning_tokens),
    cache_read_tokens: count(metrics.cache_read_tokens),
    cache_write_tokens: count(metrics.cache_write_tokens),
    cost_usd: metrics.cost_source === 'reported' ? count(metrics.cost) : undefined,
  });
  if (Object.keys(usage).length > 0) sink.emit({ type: 'usage.reported', scope: 'thread', ...usage });
}
