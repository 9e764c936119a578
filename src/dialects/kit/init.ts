import { present } from '../../json/present.ts';
import type { DecoderSink } from '../dialect.ts';
import type { JsonObject } from '../../json/json.ts';
import { filled } from '../../json/read.ts';

/** The `system` line with which Cursor, Droid and Amp begin, like Claude Code. */
export function readInit(sink: DecoderSink, agent: string, wire: JsonObject): void {
  if (wire.subtype !== 'init') return sink.unknown(wire);
  sink.emit({
    type: 'thread.started',
    agent,
    ...present({ session_id: filled(wire.session_id), model: filled(wire.model), cwd: filled(wire.cwd) }),
  });
}
