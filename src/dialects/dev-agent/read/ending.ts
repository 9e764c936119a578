import type { ErrorCode } from '../../../events/event.ts';
import type { FailureCode } from '../../../failure.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfClass, codeOfMessage } from '../../../faults.ts';
import { asText, compact, filled, isObject, list, object } from '../../read.ts';
import { reportMessage } from '../words.ts';
import { whole } from './turns.ts';
import { readUsage } from './usage.ts';

/** What the lines before the last one said. */
interface Known {
  task: string | undefined;
  lastText: string | undefined;
  closeTurn(): void;
}

/** The last line and its report. Runwire's own reports hold an outcome too: whole words, tokens, files and the verdict. */
export function readEnding(wire: JsonObject, sink: DecoderSink, known: Known): void {
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
    readUsage(object(outcome.metrics), sink);
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

/** An error ends the run unless the end says otherwise; calls against the policy are not run, an instruction to stop is obeyed in order. */
export function readError(wire: JsonObject, sink: DecoderSink): void {
  const scope = filled(wire.scope) ?? 'unknown';
  const message = asText(wire.message);
  const code = codeOfMessage(message);
  sink.emit({
    type: 'error',
    scope,
    code: code === 'unknown' ? codeOfScope(scope) : code,
    message,
    fatal: scope !== 'tool_policy' && scope !== 'tool_instruction',
    ...compact({ iteration: whole(wire.iteration), turn_id: filled(wire.turn_id), item_id: filled(wire.item_id) }),
  });
}

function codeOfScope(scope: string): ErrorCode {
  if (scope === 'llm.complete') return 'server';
  return scope.startsWith('tool') || scope === 'publish' || scope.startsWith('mcp') ? 'tool' : 'unknown';
}
