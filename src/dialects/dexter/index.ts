import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const dexter: Dialect = {
  id: 'dexter',
  about: {
    agent: 'Dexter',
    reads: 'the JSON response of `--json`, the events of its Agent class, its scratchpad file',
    writes: 'one JSON response, or the events of its Agent class',
  },
  detect,
  decoder,
  encoder,
  variants: [
    { name: 'response', layout: 'lines' },
    { name: 'events', layout: 'lines' },
  ],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
