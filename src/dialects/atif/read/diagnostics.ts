import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, list, object } from '../../../json/read.ts';
import { isErrorCode } from '../words.ts';
import { readEdits } from './tools.ts';

/** What `extra` reports about the whole run. An error that ended it is in its outcome. */
export function readDiagnostics(extra: JsonObject, sink: DecoderSink): void {
  readEdits(extra.file_changes, sink);
  for (const diagnostic of list(extra.diagnostics).map(object)) {
    const message = asText(diagnostic.message);
    if (diagnostic.type === 'error' && isErrorCode(diagnostic.code))
      sink.emit({
        type: 'error',
        scope: filled(diagnostic.scope) ?? 'run',
        code: diagnostic.code,
        message,
        fatal: false,
        ...present({ http_status: integer(diagnostic.http_status), name: filled(diagnostic.name) }),
      });
    else if (message !== '') sink.emit({ type: 'log', stream: 'agent', level: levelOf(diagnostic), text: message });
  }
}

function levelOf({ type, level }: JsonObject): 'debug' | 'info' | 'warning' | 'error' {
  if (level === 'debug' || level === 'info' || level === 'error') return level;
  return type === 'log' && level === undefined ? 'info' : 'warning';
}
