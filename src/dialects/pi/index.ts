import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const pi: Dialect = {
  id: 'pi',
  about: {
    agent: 'pi coding agent, `pi --mode json`',
    reads: '0.58 and later, old and new event names, session files from their first version on',
    writes: 'the current format, without the snapshots that its updates repeat',
  },
  detect,
  decoder,
  encoder,
  variants: [{ name: 'json', layout: 'lines' }],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
