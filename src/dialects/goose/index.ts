import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const goose: Dialect = {
  id: 'goose',
  about: { agent: 'Goose, `goose run --output-format stream-json`', reads: 'stream-json, and the one document of `json`' },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
