import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';

export const cline: Dialect = {
  id: 'cline',
  about: { agent: 'Cline CLI, `cline --json`', reads: '3.x, and the `say` and `ask` lines of 2.x' },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
