import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';
import { encoder } from './encode.ts';

export const devAgent: Dialect = {
  id: 'dev-agent',
  about: {
    agent: 'dev-agent, `--stream-json`, and its siblings review-agent, verify-agent, plan-agent',
    reads: 'seed 003, and what versions 1 and 2 really print',
    writes: 'seed 003, in ASCII',
  },
  detect,
  decoder,
  encoder,
  variants: [{ name: 'stream', layout: 'lines' }],
  ascii: true,
  schema: async () => (await import('./wire.ts')).Line,
};
