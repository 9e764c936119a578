import type { Dialect } from '../dialect.ts';
import { decoder } from './read/decode.ts';
import { detect } from './detect.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const codex: Dialect = {
  id: 'codex',
  about: {
    agent: 'OpenAI Codex CLI, `codex exec --json`',
    reads: '0.44 and later, the names of 0.42 and 0.43, the `{id, msg}` lines before, session files (rollouts)',
    writes: 'the current format',
  },
  countsSessions: true,
  detect,
  decoder,
  encoder,
  turnIsRun: true,
  variants: [{ name: 'exec', layout: 'lines' }],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
