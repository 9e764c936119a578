import type { Dialect } from '../dialect.ts';
import { detect, detectText } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const atif: Dialect = {
  id: 'atif',
  about: {
    agent: 'ATIF, the Agent Trajectory Interchange Format of evaluation harnesses',
    reads: 'documents of 1.0 to 1.8, of any agent, one or several',
    writes: 'one document of 1.7 for each run',
  },
  detect,
  detectText,
  decoder,
  encoder,
  variants: [{ name: 'trajectory', layout: 'lines' }],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Trajectory,
};
