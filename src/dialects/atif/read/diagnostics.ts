import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, filled, integer, list, object } from '../../read.ts';
import { isErrorCode } from '../words.ts';
import { readEdits } from './tools.ts';

/** What `extra` reports about the whole run. An error that ended it is in its outcome. */
export function readDiagnostics(extra: JsonObject, sink: DecoderSink): void {
  readEdits(extra.file_changes, sink);
  for (const told of list(extra.diagnostics).map(object)) {
    const message = asText(told.message);
    if (told.type === 'error' && isErrorCode(told.code))
      sink.emit({
        type: 'error',
        scope: filled(told.scope) ?? 'run',
        code: told.code,
        message,
        fatal: false,
        ...present({ http_status: integer(told.http_status), name: filled(told.name) }),
      });
    else if (message !== '') sink.emit({ type: 'log', stream: 'agent', level: levelOf(told), text: message });
  }
}

function levelOf({ type, level }: JsonObject): 'debug' | 'info' | 'warning' | 'error' {
  if (level === 'debug' || level === 'info' || level === 'error') return level;
  return type === 'log' && level === undefined ? 'info' : 'warning';
}
