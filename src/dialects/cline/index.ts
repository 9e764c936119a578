import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { toolKinds } from './words.ts';

export const cline: Dialect = {
  id: 'cline',
  about: { agent: 'Cline CLI, `cline --json`', reads: '3.x, and the `say` and `ask` lines of 2.x' },
  detect,
  decoder,
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
