import type { Decoder, DecoderSink, JsonObject } from '../dialect.ts';
import { filled, isObject, string, time } from '../read.ts';
import { runDecoder } from '../shared/opencode/run.ts';
import { busDecoder } from './bus.ts';
import { nativeDecoder } from './native.ts';

export function decoder(sink: DecoderSink): Decoder {
  const run = runDecoder(sink, 'opencode');
  const bus = busDecoder(sink);
  const native = nativeDecoder(sink);

  function line(wire: JsonObject): void {
    // The events of all instances (`/global/event`) come wrapped.
    if (isObject(wire.payload) && wire.type === undefined) return line(wire.payload);
    const type = string(wire.type) ?? '';
    if (isObject(wire.properties)) {
      if (!bus.event(type, wire.properties)) sink.unknown(wire);
    } else if (isObject(wire.data) && type.includes('.')) {
      const { data } = wire;
      const at = time(wire.created);
      if (at !== undefined) sink.at(at);
      const start = (): void => bus.start(filled(data.sessionID));
      if (!native.event(type, data, start) && !bus.event(type, data)) sink.unknown(wire);
    } else run.line(wire);
  }

  return {
    line,
    stderr(text, wire) {
      if (wire !== undefined && isOurs(wire)) {
        line(wire);
        return true;
      }
      return run.stderr?.(text) ?? false;
    },
    end() {
      bus.end();
      run.end();
    },
  };
}

function isOurs(wire: JsonObject): boolean {
  return typeof wire.type === 'string' && (isObject(wire.properties) || (typeof wire.sessionID === 'string' && isObject(wire.part)));
}
