import type { Dialect } from '../dialect.ts';
import { decoder } from './read/decode.ts';
import { detect } from './detect.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const devAgent: Dialect = {
  id: 'dev-agent',
  about: {
    agent: 'dev-agent, `--stream-json`, and its siblings review-agent, verify-agent, plan-agent',
    reads: 'what its documents promise, and what versions 1 and 2 really print',
    writes: 'what its documents promise, in ASCII',
  },
  detect,
  decoder,
  encoder,
  variants: [{ name: 'stream', layout: 'lines' }],
  ascii: true,
  // The indented report that follows the line which contains it.
  isRepetition: (wire, before) => before?.type === 'thread.completed' && typeof wire.type !== 'string',
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
