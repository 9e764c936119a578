import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const cursor: Dialect = {
  id: 'cursor',
  about: {
    agent: 'Cursor CLI, `cursor-agent --print --output-format stream-json`',
    reads: 'stream-json with and without partial output, and the one object of `json`',
  },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
