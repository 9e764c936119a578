import type { Decoder, DecoderSink } from './dialect.ts';

// A format that is only written: nothing is ever detected as it, and who reads it all the same gets its lines as they are.

export function detectNothing(): number {
  return 0;
}

export function unread(sink: DecoderSink): Decoder {
  return { line: (wire) => sink.unknown(wire), end() {} };
}
