import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, filled, object } from '../../read.ts';

export function readRequest(sink: DecoderSink, id: string, data: JsonObject): void {
  const request = object(data.permissionRequest);
  const pattern = filled(request.fullCommandText) ?? filled(request.fileName) ?? filled(request.path) ?? filled(request.url);
  sink.emit({
    type: 'permission.requested',
    permission_id: id,
    what: filled(request.kind) ?? 'unknown',
    ...present({ item_id: filled(request.toolCallId), pattern, title: filled(request.intention) }),
  });
}

export function readDecision(sink: DecoderSink, id: string, data: JsonObject): void {
  const decision = asText(object(data.result).kind);
  sink.emit({
    type: 'permission.resolved',
    permission_id: id,
    decision: decision.startsWith('approved') ? 'allowed' : 'denied',
    raw_decision: decision,
    by: decision.includes('by-user') || decision.includes('interactively') ? 'user' : 'rule',
  });
}
