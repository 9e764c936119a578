import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';

export const droid: Dialect = {
  id: 'droid',
  about: { agent: 'Factory Droid, `droid exec --output-format stream-json`', reads: 'stream-json, and the one object of `json`' },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
