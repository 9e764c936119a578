import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { asText, count, filled, list, object, string } from '../../../json/read.ts';
import { isErrorCode } from '../words.ts';
import { isOutputStep, textOf } from './content.ts';

/** The format has no field for how a run ended; writers that record it use `extra.outcome`. */
export function readEnding(wire: JsonObject, steps: readonly JsonObject[], sink: DecoderSink): void {
  const reported = object(wire.extra).outcome;
  const outcome = object(reported);
  const raw_status = filled(outcome.status);
  if (raw_status === undefined) {
    // An outcome that cannot be read does not count as a success.
    if (reported === undefined && !isCutShort(wire) && isAnswered(steps.at(-1)))
      sink.emit({ type: 'agent.finished', status: 'ok' });
    return;
  }
  const error = object(outcome.error);
  const message = filled(error.message) ?? filled(outcome.reason);
  const duration_ms = count(outcome.duration_ms);
  switch (raw_status) {
    case 'success': {
      const has_answer = outcome.has_answer === false ? false : undefined;
      return sink.emit({ type: 'agent.finished', status: 'ok', raw_status, ...present({ duration_ms, has_answer }) });
    }
    case 'cancelled':
      return sink.emit({
        type: 'agent.finished',
        status: 'cancelled',
        raw_status,
        ...present({ message, duration_ms }),
      });
    case 'error':
    case 'failed':
    case 'timeout':
    case 'incomplete': {
      const code = codeOf(raw_status, error, message);
      return sink.emit({
        type: 'agent.finished',
        status: 'failed',
        raw_status,
        ...present({ code, message, duration_ms }),
      });
    }
  }
}

function codeOf(status: string, error: JsonObject, message: string | undefined): ErrorCode {
  if (isErrorCode(error.code)) return error.code;
  if (status === 'timeout') return 'time_limit';
  return status === 'incomplete' ? 'unknown' : codeOfMessage(message ?? asText(error.code));
}

/** It continues in another document, or calls have no result. */
function isCutShort(wire: JsonObject): boolean {
  return (
    string(wire.continued_trajectory_ref) !== undefined || list(object(wire.extra).unfinished_tool_call_ids).length > 0
  );
}

/** An agent whose last step has text and no calls has finished. */
function isAnswered(step: JsonObject | undefined): boolean {
  if (step?.source !== 'agent' || list(step.tool_calls).length > 0 || isOutputStep(step)) return false;
  return textOf(step.message).trim() !== '';
}
