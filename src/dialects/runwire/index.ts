import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { encoder } from './encode.ts';

export const runwire: Dialect = {
  id: 'runwire',
  about: { agent: 'Runwire itself: the tape', reads: 'every version of the tape', writes: 'records, lossless' },
  detect: (head) =>
    head.some((wire) => typeof wire.sequence === 'number' && typeof wire.synthetic === 'boolean' && typeof wire.source === 'string')
      ? 1
      : 0,
  decoder,
  encoder,
  variants: [{ name: 'tape', layout: 'lines' }],
  schema: async () => (await import('../../events/event.ts')).EventRecord,
};
