import { eventIn } from '../../../events/check.ts';
import type { ErrorCode } from '../../../events/event.ts';
import type { FailureCode } from '../../../failure.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfClass, codeOfMessage, isProviderFault } from '../../../outcome/faults.ts';
import { asText, count, filled, isObject, list, object, string, whole } from '../../../json/read.ts';
import { emptyAnswer, idleAnswers, lateWarning } from '../../../outcome/warnings.ts';
import { reportMessage } from '../words.ts';
import { readBranches, readPublish } from './branches.ts';
import { readUsage } from './usage.ts';

/** What is known from the lines before the last. */
interface Known {
  task: string | undefined;
  lastText: string | undefined;
  /** Errors that may appear again as warnings. */
  errors: ReadonlySet<string>;
  hasPublishFailed: boolean;
  /** How long the run took according to the times of its lines. */
  elapsed: number;
  closeTurn(): void;
}

/** The last line and its report. Runwire's own reports also hold an outcome: the complete text, tokens, files and the verdict. */
export function readEnding(wire: JsonObject, sink: DecoderSink, known: Known): void {
  const report = object(wire.final_report);
  const status = asText(wire.status);
  const good = status === 'completed';
  const summary = filled(wire.summary) ?? filled(report.summary);
  const outcome = isObject(report.verdict) && isObject(report.metrics) ? report : undefined;
  // Without our own report, the summary is the final text, unless it is the text of an error.
  const words =
    outcome === undefined ? (good || status === 'iteration_limit' ? summary : undefined) : filled(outcome.message);
  if (words !== undefined && words !== known.lastText)
    sink.emit({ type: 'text.completed', text: words, message_id: reportMessage });
  known.closeTurn();
  if (outcome !== undefined) {
    for (const artifact of list(outcome.artifacts)) readArtifact(object(artifact), sink);
    readUsage(outcome, sink);
    readWarnings(outcome, sink, known.errors);
    const task = known.task === undefined ? filled(outcome.task) : undefined;
    if (task !== undefined) sink.emit({ type: 'prompt.submitted', text: task });
  }
  readBranches(report, sink);
  readPublish(report, known.hasPublishFailed, sink);
  for (const field in report)
    if (!fields.has(field)) sink.note('unrecognised', `final_report.${sink.quote(field, 64)}`);
  const verdict = object(outcome?.verdict);
  const took = count(object(outcome?.metrics).duration_ms);
  const ending = present({ raw_status: status, duration_ms: took === known.elapsed ? undefined : took });
  const limits = list(outcome?.limits_hit).filter(isObject);
  for (const limit of limits) readLimit(limit, !limitClasses.has(asText(verdict.class)), sink);
  if (
    good &&
    report.is_finished !== false &&
    (report.status === undefined || report.status === 'completed') &&
    isGood(verdict.class)
  )
    return sink.emit({ type: 'agent.finished', status: 'ok', ...ending });
  const message =
    filled(object(report.error).message) ?? filled(object(report.error_details).message) ?? summary ?? status;
  if (status === 'iteration_limit' && limits.length === 0)
    sink.emit({ type: 'limit.reached', limit: 'turns', message });
  const code = failureCode(status, message, verdict.class);
  sink.emit({
    type: 'agent.finished',
    status: code === 'cancelled' ? 'cancelled' : 'failed',
    code,
    ...ending,
    message,
  });
}

/** Only our own reports have a verdict; one that is not a success outweighs the status. */
function isGood(verdict: unknown): boolean {
  return verdict === undefined || verdict === 'success';
}

function failureCode(status: string, message: string, verdict: unknown): ErrorCode {
  if (status === 'iteration_limit') return 'turn_limit';
  const code = codeOfMessage(message);
  const known =
    typeof verdict === 'string' && Object.hasOwn(codeOfClass, verdict)
      ? codeOfClass[verdict as FailureCode]
      : undefined;
  if (known !== undefined) return known === 'server' && isProviderFault(code) ? code : known;
  if (status === 'FINISHED_WITH_ERROR' && code === 'unknown') return 'tool';
  return code;
}

function readArtifact({ path, operation, size, type }: JsonObject, sink: DecoderSink): void {
  const edit = eventIn({ type: 'file.edited', path, operation, ...present({ size, file_type: type }) });
  if (edit !== undefined) sink.emit(edit);
}

function readLimit({ limit, value, maximum, message }: JsonObject, isLate: boolean, sink: DecoderSink): void {
  const reached = eventIn({
    type: 'limit.reached',
    limit,
    ...present({ value, maximum, message, late: isLate || undefined }),
  });
  if (reached !== undefined) sink.emit(reached);
}

/** The warnings that do not follow from earlier lines or from the limits. */
function readWarnings(outcome: JsonObject, sink: DecoderSink, errors: ReadonlySet<string>): void {
  const limits = list(outcome.limits_hit).map(object);
  const own = new Set<string>([
    emptyAnswer,
    ...Object.values(idleAnswers),
    ...limits.map(({ limit, message }) => lateWarning({ limit: asText(limit), message: string(message) })),
  ]);
  for (const warning of list(outcome.warnings)) {
    const text = filled(warning);
    if (
      text === undefined ||
      own.has(text) ||
      errors.has(text) ||
      errors.has(text.replace(/ \(the agent went on\)$/, ''))
    )
      continue;
    sink.emit({ type: 'log', stream: 'agent', level: 'warning', text });
  }
}

/** Verdict classes of a run that a limit ended. */
const limitClasses: ReadonlySet<string> = new Set(['cost_limit', 'turn_limit', 'time_limit']);

/** The fields of a report that are read, or that other lines already cover. */
const fields: ReadonlySet<string> = new Set(
  (
    'task status reason summary is_finished error error_details message lineage publish usage usage_by_model metrics children artifacts tool_calls ' +
    'run_id warnings limits_hit verdict omitted start_branch_id latest_branch_id publish_report pr_url pr_number pr_head_branch'
  ).split(' '),
);

/**
 * An error ends the run unless the end says otherwise; Runwire marks those that did not. Calls that violate the policy are not
 * run, and an instruction to stop ends the run in order, so neither is fatal.
 */
export function readError(wire: JsonObject, sink: DecoderSink): void {
  const scope = filled(wire.scope) ?? 'unknown';
  const message = asText(wire.message);
  const code = codeOfMessage(message);
  sink.emit({
    type: 'error',
    scope,
    code: code === 'unknown' ? codeOfScope(scope) : code,
    message,
    fatal: wire.fatal !== false && scope !== 'tool_policy' && scope !== 'tool_instruction',
    ...present({ iteration: whole(wire.iteration), turn_id: filled(wire.turn_id), item_id: filled(wire.item_id) }),
  });
}

function codeOfScope(scope: string): ErrorCode {
  if (scope === 'llm.complete') return 'server';
  return scope.startsWith('tool') || scope === 'publish' || scope.startsWith('mcp') ? 'tool' : 'unknown';
}
