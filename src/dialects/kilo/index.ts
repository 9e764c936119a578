import type { Dialect } from '../dialect.ts';
import { decoder } from './read/decode.ts';
import { detect } from './detect.ts';

export const kilo: Dialect = {
  id: 'kilo',
  about: { agent: 'Kilo CLI, `kilo run --format json`', reads: '7, the fork of OpenCode' },
  detect,
  decoder,
  hasNoLastWord: true,
  schema: async () => (await import('./wire.ts')).Line,
};
