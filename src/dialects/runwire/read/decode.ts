import { eventIn } from '../../../events/check.ts';
import type { Decoder, DecoderSink, JsonObject } from '../../dialect.ts';
import { integer, string, time } from '../../read.ts';

export function decoder(sink: DecoderSink): Decoder {
  return {
    line(wire: JsonObject) {
      const event = eventIn(wire);
      if (event === undefined) return sink.unknown(wire);
      // The end is always made anew from everything before it: a tape that was cut or edited cannot claim a verdict.
      if (event.type === 'thread.completed') return;
      const at = time(wire.timestamp);
      if (at !== undefined) sink.at(at);
      sink.emit(event, {
        source: wire.source === 'runner' ? 'runner' : 'agent',
        synthetic: wire.synthetic === true,
        threadId: string(wire.thread_id) || 'unknown',
        sequence: sequenceOf(wire),
      });
    },
    end() {},
  };
}

/** A number that cannot be counted on from is none. */
function sequenceOf(wire: JsonObject): number {
  const sequence = integer(wire.sequence) ?? 0;
  return sequence > 0 && sequence < Number.MAX_SAFE_INTEGER / 2 ? sequence : 0;
}
