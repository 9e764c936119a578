import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';

export const runwire: Dialect = {
  id: 'runwire',
  about: { agent: 'Runwire itself: the tape', reads: 'every version of the tape', writes: 'records, lossless' },
  joins: 'all',
  detect,
  decoder,
  encoder,
  variants: [{ name: 'tape', layout: 'lines' }],
  schema: async () => (await import('../../events/event.ts')).EventRecord,
};
