import type { DecoderSink } from '../../dialect.ts';

const greeting = /^Reading (?:additional input|prompt) from stdin/;
const toolFailure = ' ERROR codex_core::tools::router: error=';

/** A refused patch or an unknown tool leaves no event on stdout: a log line is its only trace. */
export function stderrReader(sink: DecoderSink): (text: string) => boolean {
  let denials = 0;
  return (text) => {
    if (greeting.test(text)) return true;
    const at = text.indexOf(toolFailure);
    if (at === -1) return false;
    const message = text.slice(at + toolFailure.length);
    if (/rejected|not permitted|blocked by/.test(message)) {
      denials += 1;
      const permission_id = `stderr_${denials}`;
      sink.emit({ type: 'permission.requested', permission_id, what: message });
      sink.emit({ type: 'permission.resolved', permission_id, decision: 'denied', by: 'rule' });
    } else {
      sink.emit({ type: 'error', scope: 'tool', code: 'tool', message, fatal: false });
    }
    return true;
  };
}
