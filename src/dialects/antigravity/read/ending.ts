import { codeOfMessage } from '../../../faults.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, count, filled, isObject, list, wordIn } from '../../read.ts';
import { statusCodes } from '../words.ts';

const mostDenials = 1000;

/** What was refused: the status is `SUCCESS` all the same. */
export function readDenials(wire: JsonObject, sink: DecoderSink): void {
  for (const [index, denied] of list(wire.denied_actions).slice(0, mostDenials).entries()) {
    const permission_id = `denied_${index + 1}`;
    const what = isObject(denied) ? (filled(denied.action) ?? filled(denied.display_name) ?? 'an action') : asText(denied);
    sink.emit({ type: 'permission.requested', permission_id, what });
    sink.emit({ type: 'permission.resolved', permission_id, decision: 'denied', by: 'rule' });
  }
}

/** `turns`: if nothing but the result speaks of them. */
export function readEnding(wire: JsonObject, turns: number | undefined, sink: DecoderSink): void {
  const raw_status = filled(wire.status) ?? '';
  const message = filled(wire.error);
  const seconds = count(wire.duration_seconds);
  const more = present({ raw_status, turns, duration_ms: seconds === undefined ? undefined : Math.round(seconds * 1000) || undefined });
  if (raw_status === 'SUCCESS' && message === undefined) return sink.emit({ type: 'agent.finished', status: 'ok', ...more });
  const told = wordIn(statusCodes, raw_status);
  if (told === 'cancelled') return sink.emit({ type: 'agent.finished', status: 'cancelled', ...more, ...present({ message }) });
  const code = told ?? codeOfMessage(message ?? '');
  sink.emit({ type: 'agent.finished', status: 'failed', code, ...more, ...present({ message }) });
}
