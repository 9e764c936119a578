import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { codeOfMessage } from '../../../faults.ts';
import { count, filled, string } from '../../read.ts';
import { readUsage } from './usage.ts';

/** The `result` line. A failed run usually has none. */
export function readEnding(sink: DecoderSink, wire: JsonObject, hasSpoken: boolean): void {
  const text = string(wire.result) ?? '';
  const fields = present({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
  const good = wire.subtype === 'success' && wire.is_error === false;
  // All texts of the run, joined without separators: used only if no text came before.
  if (good && !hasSpoken && text !== '') sink.emit({ type: 'text.completed', text });
  readUsage(sink, wire.usage);
  if (good) return sink.emit({ type: 'agent.finished', status: 'ok', ...fields });
  const message = filled(wire.error) ?? text;
  sink.emit({ type: 'agent.finished', status: 'failed', code: codeOfMessage(message), message, ...fields });
}
