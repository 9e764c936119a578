import type { Encoder, EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';

/** The tape: records as they are. Nothing is lost. */
export function encoder(sink: EncoderSink): Encoder {
  return {
    record: (record) => sink.line(record as unknown as JsonObject),
    end() {},
  };
}
