import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const antigravity: Dialect = {
  id: 'antigravity',
  about: {
    agent: 'Antigravity CLI, `agy -p … --output-format stream-json` or `json`',
    reads: 'stream-json of 1.2, and the one object of `json`, as others describe them: never tried against the program',
  },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
