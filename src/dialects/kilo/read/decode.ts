import type { Decoder, DecoderSink } from '../../dialect.ts';
import { runDecoder } from '../../shared/opencode/read/run.ts';

export function decoder(sink: DecoderSink): Decoder {
  return runDecoder(sink, 'kilo');
}
