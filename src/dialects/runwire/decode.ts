import { eventIn } from '../../events/check.ts';
import type { Decoder, DecoderSink, JsonObject } from '../dialect.ts';
import { string, time } from '../read.ts';

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
      });
    },
    end() {},
  };
}
