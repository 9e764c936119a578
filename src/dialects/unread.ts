import type { Decoder, DecoderSink } from './dialect.ts';

// A format that is only written: nothing is ever detected as it, and reading it anyway yields its lines unchanged.

export function detectNothing(): number {
  return 0;
}

export function unread(sink: DecoderSink): Decoder {
  return { line: (wire) => sink.unknown(wire), end() {} };
}
