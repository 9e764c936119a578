import type { Dialect } from '../dialect.ts';
import { decoder } from './read/decode.ts';
import { detect } from './detect.ts';
import { codeOfExit, toolKinds } from './words.ts';
import { encoder } from './write/encode.ts';

export const agentCode: Dialect = {
  id: 'agent-code',
  about: {
    agent: 'agent-code, `agent -p … --output-format json`',
    reads: 'the 8 events of 0.16 and the 12 of 0.19 and later',
    writes: 'the 8 events, with exit codes 0 to 7',
  },
  detect,
  decoder,
  encoder,
  variants: [{ name: 'events', layout: 'lines' }],
  exitMeaning: (code) => codeOfExit[code],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
