import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const amp: Dialect = {
  id: 'amp',
  about: { agent: 'Amp, `amp --execute --stream-json`', reads: 'with and without thinking blocks' },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
