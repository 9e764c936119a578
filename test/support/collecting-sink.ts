import type { DecoderSink } from '../../src/dialects/dialect.ts';
import type { Draft } from '../../src/events/event.ts';

/** Where a decoder puts what it understood, for a test to look at. */
export function collectingSink(): DecoderSink & { readonly drafts: Draft[] } {
  const drafts: Draft[] = [];
  return {
    drafts,
    emit: (draft) => void drafts.push(draft),
    unknown() {},
    at() {},
    note() {},
    quote: (text) => text,
    quoteLine: (line) => line,
  };
}
