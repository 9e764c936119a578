import { codeOfMessage } from '../../../faults.ts';
import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { filled } from '../../read.ts';
import { exitCodes } from '../words.ts';

/** Its exit status is a verdict: only a plain submission is a success. `submitted (exit_cost)` was submitted by the harness. */
export function readEnding(info: JsonObject, sink: DecoderSink): void {
  const raw_status = filled(info.exit_status);
  if (raw_status === undefined) return;
  if (/^submitted$/i.test(raw_status)) return sink.emit({ type: 'agent.finished', status: 'ok', raw_status });
  const code = codeOf(raw_status);
  const message = filled(info.exception) ?? filled(info.exception_str) ?? raw_status;
  sink.emit({
    type: 'agent.finished',
    ...(code === 'cancelled' ? { status: code } : { status: 'failed', code }),
    raw_status,
    ...present({ message }),
  });
}

function codeOf(status: string): ErrorCode {
  return exitCodes.find(([words]) => words.test(status))?.[1] ?? codeOfMessage(status);
}
