import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';

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
