import type { Decoder, DecoderSink, Dialect } from '../dialect.ts';

/** A format that is only written: nothing is ever detected as it, and reading it anyway yields its lines unchanged. */
export function written(
  encoder: Required<Dialect>['encoder'],
): Required<Pick<Dialect, 'detect' | 'decoder' | 'encoder'>> {
  return { detect: () => 0, decoder: unread, encoder };
}

function unread(sink: DecoderSink): Decoder {
  return { line: (wire) => sink.unknown(wire), end() {} };
}
