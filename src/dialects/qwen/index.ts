import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';
import { exitCodes, toolKinds } from './words.ts';

export const qwen: Dialect = {
  id: 'qwen',
  about: {
    agent: 'Qwen Code, `qwen --output-format stream-json` or `json`',
    reads:
      '0.3 and later, with and without partial messages; the `{response, stats}` object before, if a Qwen model made it; session files',
    writes: 'the current format',
  },
  countsSessions: true,
  detect,
  decoder,
  encoder,
  variants: [
    { name: 'stream-json', layout: 'lines' },
    { name: 'json', layout: 'array' },
    { name: 'partial', layout: 'lines' },
  ],
  exitMeaning: (code) => exitCodes.get(code),
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
