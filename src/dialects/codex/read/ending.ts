import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { asText, compact, object } from '../../read.ts';
import { readUsage } from './usage.ts';

const retryWording = /^Reconnecting\.\.\. (?:(\d+)\/(\d+)|(waiting for network))?\s*(?:\((.*)\))?$/s;

/** `turn.completed` or `turn.failed`: a process has one turn, so it is the agent's last word. An interrupted turn has neither. */
export function readEnding(wire: JsonObject, sink: DecoderSink): void {
  if (wire.type === 'turn.completed') {
    readUsage(object(wire.usage), sink, { whole_session: true });
    sink.emit({ type: 'turn.completed', finish_reason: 'stop' });
    return sink.emit({ type: 'agent.finished', status: 'ok' });
  }
  const message = asText(object(wire.error).message);
  sink.emit({ type: 'turn.completed', finish_reason: 'error' });
  sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), message });
}

/** One line for both: the error that ends the run, and a lost connection that is tried again. Only the words differ. */
export function readError(wire: JsonObject, sink: DecoderSink): void {
  const message = asText(wire.message);
  const retry = retryWording.exec(message);
  if (retry === null) return sink.emit({ type: 'error', scope: 'provider', code: codeOfMessage(message), message, fatal: true });
  const [, attempt, maximum, waiting = '', cause = waiting] = retry;
  sink.emit({
    type: 'retry.scheduled',
    code: codeOfMessage(cause),
    cause,
    ...compact({ attempt: digits(attempt), max_attempts: digits(maximum) }),
  });
}

function digits(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
