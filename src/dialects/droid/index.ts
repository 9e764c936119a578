import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const droid: Dialect = {
  id: 'droid',
  about: { agent: 'Factory Droid, `droid exec --output-format stream-json`', reads: 'stream-json, and the one object of `json`' },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
