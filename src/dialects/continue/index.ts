import type { Dialect } from '../dialect.ts';
import { detect, detectText } from './detect.ts';
import { decoder } from './read/decode.ts';

export const continueCli: Dialect = {
  id: 'continue',
  about: { agent: 'Continue CLI, `cn --print --format json`', reads: 'the answer, housekeeping lines, the error on stderr' },
  detect,
  detectText,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
